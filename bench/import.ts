// npm run bench -- import: what `create-operator import` takes for a definition of 1.5 MB, the size of the largest there are, as a process of
// its own. The baseline is a process that only parses the file.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { root, runChecked } from '../tools/repository.ts';
import { type BenchmarkResult, type Figure, interleaved } from './benchmark.ts';

const rounds = 5;
const size = 1_500_000;
const limit = 2_000;
const program = join(root, 'bin/create-operator.js');
const parse = `
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
parseAllDocuments(readFileSync(process.argv[1], 'utf8')).forEach((document) => document.toJS());
`;

/** A schema with something of everything, the same for each number; deeper ones hold several shallower ones. */
function schema(number: number, depth: number): object {
  const description = `Field ${number} says how the operator has to treat the target. `.repeat(1 + (number % 5));
  const forms: readonly (() => object)[] = [
    () => ({ type: 'string', pattern: '^[a-z]+$', maxLength: 63 }),
    () => ({ type: 'integer', format: 'int32', minimum: 0 }),
    () => ({ type: 'string', enum: ['=', '!=', '=~', '!~', ''] }),
    () => ({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }),
    () => ({ type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' }),
    () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  ];
  const leaf = forms[number % forms.length];
  if (depth === 0 && leaf !== undefined) return { description, ...leaf() };
  const entries = Array.from({ length: 6 }, (_, index) => {
    const next = number * 6 + index;
    return [`field${index}`, schema(next, depth - 1 - (index % 2 === 0 || depth === 1 ? 0 : 1))] as const;
  });
  const object = { type: 'object', properties: Object.fromEntries(entries), required: ['field0'] };
  return number % 3 === 0 ? { description, type: 'array', items: object } : { description, ...object };
}

function definition(): string {
  const properties: Record<string, object> = {};
  const emit = (): string =>
    stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'probes.monitoring.example.com' },
      spec: {
        group: 'monitoring.example.com',
        names: { kind: 'Probe', plural: 'probes', singular: 'probe', listKind: 'ProbeList' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec: { type: 'object', properties },
                },
              },
            },
          },
        ],
      },
    });
  let text = emit();
  for (let part = 0; text.length < size; part++) {
    const before = text.length;
    // As many parts at once as are still missing, by the size of the last.
    properties[`part${part}`] = schema(part + 1, 3);
    text = emit();
    const missing = Math.floor((size - text.length) / (text.length - before));
    for (let more = 0; more < missing; more++) properties[`part${++part}`] = schema(part + 1, 3);
    if (missing > 0) text = emit();
  }
  return text;
}

export async function run(): Promise<BenchmarkResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-bench-')));
  try {
    const file = join(folder, 'definition.yaml');
    const text = definition();
    writeFileSync(file, text);
    const node = (cwd: string, ...argv: string[]): Promise<unknown> => runChecked(process.execPath, argv, { cwd });
    const importing = (...flags: string[]): Promise<unknown> => {
      rmSync(join(folder, 'out'), { recursive: true, force: true });
      return node(folder, program, 'import', file, '--out', 'out', ...flags);
    };
    const times = await interleaved(rounds, {
      clients: () => importing(),
      types: () => importing('--types'),
      parsed: () => node(root, '--input-type=module', '--eval', parse, file),
    });
    const figure = (name: string, ours: number): Figure => ({
      name: `${name} of ${(text.length / 1e6).toFixed(1)} MB, ms, beside parsing it`,
      ours,
      baseline: times.parsed,
      ratio: ours / times.parsed,
      goal: `<= ${limit} ms`,
      holds: ours <= limit,
    });
    return { name: 'import', figures: [figure('import', times.clients), figure('import --types', times.types)] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
