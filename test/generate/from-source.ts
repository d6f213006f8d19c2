// Runs the command line from its sources, as a process of its own: node test/generate/from-source.ts generate ...
import { main } from '../../src/cli/main.ts';

process.exitCode = await main(process.argv.slice(2));
