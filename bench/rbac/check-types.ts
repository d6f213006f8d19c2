// What `tsc --noEmit` does, with the compiler that ts-morph brings along: node check-types.ts FOLDER
import { join } from 'node:path';
import { Project } from 'ts-morph';

const [folder = '.'] = process.argv.slice(2);
const project = new Project({ tsConfigFilePath: join(folder, 'tsconfig.json'), compilerOptions: { noEmit: true } });
const diagnostics = project.getPreEmitDiagnostics();
console.error(project.formatDiagnosticsWithColorAndContext(diagnostics));
process.exitCode = diagnostics.length === 0 ? 0 : 1;
