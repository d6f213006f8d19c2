export { type ProgramReading, readCalls, readProgram } from './calls/read-calls.ts';
export { bundledCatalogue, catalogues } from './catalogue/catalogue.ts';
export { problems } from './problems.ts';
export { read, type ReadOptions, type ReadResult } from './read.ts';
export { ReadSession } from './session.ts';
