/**
 * The program of the thread as one CommonJS script. The build puts it here, so that it is still there when an operator is bundled into
 * one file. Undefined where nothing was built: then the thread runs the module `worker` beside this one.
 */
export const workerCode: string | undefined = undefined;
