export { loadConfiguration, type LoadConfigurationOptions } from './load.ts';
export {
  ConfigurationError,
  fixedCredentials,
  type ClusterConfiguration,
  type Credentials,
  type CredentialSource,
  type Impersonation,
} from './types.ts';
