export { compareOutput } from './compare.ts';
export { KnownFiles } from './known-files.ts';
export { type Difference, OutputError, type OutputFolder, type OutputSet } from './output-set.ts';
export { writePrivateFile } from './private-file.ts';
export { unifiedDiff } from './diff.ts';
export { type Disk, writeOutput, type WriteSummary } from './write.ts';
