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

/**
 * The packages whose specs ask a server, and which of them are left out. Of the others, `pkg/client/apiutil` wants servers with other
 * feature gates, and what `pkg/manager` asks, the rest ask, too.
 */
const packages: readonly SpecPackage[] = [
  { path: 'pkg/client' },
  {
    path: 'pkg/cache',
    leftOut: {
      spec: 'Should list serviceaccounts and find exactly one in namespace test-namespace-1',
      reason: 'it counts on there being no controller that makes an account in every namespace, as clusters have',
    },
  },
  { path: 'pkg/builder' },
  { path: 'pkg/controller' },
  { path: 'pkg/controller/controllerutil' },
  { path: 'pkg/internal/recorder' },
  { path: 'pkg/source' },
  { path: 'pkg/webhook' },
];

interface SpecPackage {
  readonly path: string;
  readonly leftOut?: { readonly spec: string; readonly reason: string };
}

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
 * Runs the specs of controller-runtime's packages, as their authors wrote them, against embedded servers: a new one for each package. They
 * are compiled from a copy of the module, which Go's module cache keeps read-only. The variable CONTROLLER_RUNTIME_PACKAGES asks for
 * some of the packages only.
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
    const only = process.env['CONTROLLER_RUNTIME_PACKAGES']?.split(' ');
    const sum = { passed: 0, failed: 0, skipped: 0 };
    for (const specPackage of packages.filter(({ path }) => only?.includes(path) ?? true)) {
      const report = await runSpecs(source, folder, specPackage, print);
      const { passed, failed, skipped } = count(report, json, print);
      if (!json) print(`${specPackage.path}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
      if (specPackage.leftOut !== undefined && !json)
        print(`left out: ${specPackage.leftOut.spec}: ${specPackage.leftOut.reason}`);
      sum.passed += passed;
      sum.failed += failed;
      sum.skipped += skipped;
    }
    return sum;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSpecs(
  source: string,
  folder: string,
  { path, leftOut }: SpecPackage,
  print: (line: string) => void,
): Promise<readonly Spec[] | undefined> {
  const environment = await startTestEnvironment({ assets: '', project: false });
  try {
    const reportFile = join(folder, `${path.replaceAll('/', '-')}.json`);
    const skip = leftOut === undefined ? [] : [`-ginkgo.skip=${leftOut.spec}`];
    const { code, stdout, stderr } = await runProgram(
      'go',
      ['test', '-vet=off', '-count=1', `./${path}`, '-ginkgo.no-color', `-ginkgo.json-report=${reportFile}`, ...skip],
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
      print(`go test of ${path} ended with ${code} and reported nothing:\n${stdout}${stderr}`);
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
