/**
 * For tests of operators: virtual time, and a transport whose server the test plays. Nothing here is meant for production.
 */
export { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
export {
  createVirtualEnvironment,
  type VirtualEnvironment,
  type VirtualEnvironmentOptions,
} from '../environment/virtual.ts';
export { discardLogger } from '../environment/logger.ts';
