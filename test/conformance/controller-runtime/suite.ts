import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestEnvironment } from '../../../src/testing/index.ts';
import { run as runProgram, runChecked } from '../../../tools/repository.ts';
import { findGoModule } from '../kubernetes/go-module.ts';
import type { SuiteOptions, SuiteResult } from '../suite.ts';

const moduleName = 'sigs.k8s.io/controller-runtime';
const moduleVersion = 'v0.25.2';

interface Spec {
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

interface Report {
  readonly SpecReports: readonly Spec[];
}

/**
 * Runs the specs of controller-runtime's client package, as their authors wrote them, against the embedded server. They are compiled from
 * a copy of the module, which Go's module cache keeps read-only.
 */
export async function run({ json, print }: SuiteOptions): Promise<SuiteResult> {
  const found = await findGoModule(moduleName, moduleVersion);
  if (typeof found !== 'string') {
    print(`skipped: ${found.reason}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const folder = await mkdtemp(join(tmpdir(), 'create-operator-controller-runtime-'));
  try {
    const source = join(folder, 'module');
    await cp(found, source, { recursive: true });
    await runChecked('chmod', ['-R', 'u+w', source]);
    const report = await runSpecs(source, folder, print);
    return count(report, json, print);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSpecs(
  source: string,
  folder: string,
  print: (line: string) => void,
): Promise<readonly Spec[] | undefined> {
  const environment = await startTestEnvironment({ assets: '', project: false });
  try {
    const reportFile = join(folder, 'report.json');
    const { code, stdout, stderr } = await runProgram(
      'go',
      ['test', '-vet=off', '-count=1', './pkg/client', '-ginkgo.no-color', `-ginkgo.json-report=${reportFile}`],
      {
        cwd: source,
        env: {
          GOFLAGS: '-mod=mod',
          USE_EXISTING_CLUSTER: 'true',
          KUBECONFIG: await environment.kubeconfigFile(),
          KUBEBUILDER_ASSETS: '',
        },
      },
    );
    if (!existsSync(reportFile)) {
      print(`go test ended with ${code} and reported nothing:\n${stdout}${stderr}`);
      return undefined;
    }
    const reports = JSON.parse(await readFile(reportFile, 'utf8')) as readonly Report[];
    return reports.flatMap(({ SpecReports }) => SpecReports);
  } finally {
    await environment.stop();
  }
}

function count(specs: readonly Spec[] | undefined, json: boolean, print: (line: string) => void): SuiteResult {
  if (specs === undefined) return { passed: 0, failed: 1, skipped: 0 };
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const { LeafNodeText, LeafNodeType, ContainerHierarchyTexts, State, Failure } of specs) {
    // What prepares the suite counts only when it fails.
    if (LeafNodeType !== 'It' && State === 'passed') continue;
    if (State === 'passed') passed++;
    else if (State === 'skipped' || State === 'pending') skipped++;
    else failed++;
    const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' > ') || LeafNodeType;
    if (json) print(JSON.stringify({ name, state: State, message: Failure?.Message }));
    else if (!['passed', 'skipped', 'pending'].includes(State)) print(`${State}: ${name}\n${Failure?.Message ?? ''}`);
  }
  // A suite that found no specs has proven nothing.
  return { passed, failed: failed + (passed === 0 && failed === 0 ? 1 : 0), skipped };
}
