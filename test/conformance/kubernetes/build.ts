// Builds the real Kubernetes that tests compare with into the user's cache folder, and prints that folder.
// usage: node test/conformance/kubernetes/build.ts [--all | PROGRAM ...]
//   without arguments etcd and kube-apiserver; with --all kube-controller-manager and kubectl, too
// Needs Go >= 1.26. On two cores about 8 minutes from nothing, 4 more with --all; nothing when the programs are there.
import { main } from '../../../tools/repository.ts';
import { buildPrograms, cannotBuild, missingPrograms, programNames, type ProgramName } from './programs.ts';

await main(async () => {
  const args = process.argv.slice(2);
  const isProgram = (name: string): name is ProgramName => (programNames as readonly string[]).includes(name);
  const wanted = args.includes('--all') ? [...programNames] : args.filter(isProgram);
  if (args.some((argument) => argument !== '--all' && !isProgram(argument))) {
    console.error(
      `usage: node test/conformance/kubernetes/build.ts [--all | PROGRAM ...], programs: ${programNames.join(' ')}`,
    );
    return 2;
  }
  const programs = wanted.length === 0 ? (['etcd', 'kube-apiserver'] as const) : wanted;
  const reason = missingPrograms(programs).length === 0 ? undefined : await cannotBuild();
  if (reason !== undefined) {
    console.error(reason);
    return 2;
  }
  console.log(await buildPrograms(programs, (line) => console.error(line)));
  return 0;
});
