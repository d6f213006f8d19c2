import { beforeAll, describe, expect, it } from 'vitest';
import type { CallReport } from '../../model/index.ts';
import { fileOf, sourcesOf } from './testing/case-sources.ts';
import { calls, head } from './testing/direct-calls.ts';
import { ways } from './testing/indirect-calls.ts';
import { withPackages } from './testing/package-calls.ts';
import { several } from './testing/several-calls.ts';
import { unknown } from './testing/unknown-calls.ts';
import { kinds, readCallsOf } from './testing/read-calls.ts';

const cases = [...calls, ...ways, ...several, ...unknown, ...withPackages];

let report: CallReport;
beforeAll(() => {
  report = readCallsOf(
    sourcesOf(cases),
    cases.map((_, index) => fileOf(index)),
  );
}, 120_000);

/** What was found in the file of one case. */
function found(index: number): { readonly uses: readonly string[]; readonly unresolved: readonly string[] } {
  const isOfCase = ({ position }: { readonly position: { readonly file: string } }): boolean =>
    position.file === fileOf(index) || (position.file === 'lazy.ts' && cases[index]?.[1].includes('lazy.ts') === true);
  const uses = report.uses.filter(isOfCase).map((use) => {
    const [main = '', ...sub] = use.resource.split('/');
    const resource = [use.group === '' ? main : `${main}.${use.group}`, ...sub].join('/');
    const place = `${use.namespace === undefined ? '' : ` in ${use.namespace}`}${use.name === undefined ? '' : ` named ${use.name}`}`;
    return `${use.verb} ${resource}${place}${use.ownNamespace === true ? ' of its own' : ''}`;
  });
  const unresolved = report.unresolved
    .filter(isOfCase)
    .map(({ call, problem, verbs }) => `${call} [${verbs.join(', ')}]: ${problem}`);
  return { uses: [...new Set(uses)].sort(), unresolved };
}

describe('readCalls', () => {
  it.each(cases.map((each, index) => [each[0], index] as const))('%s', (_title, index) => {
    const [, , uses, unresolved = []] = cases[index] ?? ['', '', []];
    const { uses: foundUses, unresolved: foundUnresolved } = found(index);
    expect(foundUses).toEqual([...uses].sort());
    expect(foundUnresolved).toEqual(unresolved.map((pattern) => expect.stringMatching(pattern)));
  });

  it('says where each call stands, and why', () => {
    const index = cases.findIndex(([title]) => title === 'get');
    const line = head.split('\n').length + 1;
    expect(report.uses.filter(({ position }) => position.file === fileOf(index))).toEqual([
      ...['list', 'watch'].map((verb) => ({
        group: 'example.com',
        resource: 'widgets',
        verb,
        clusterScoped: false,
        reason: 'client.get(Widget): the cache',
        position: { file: fileOf(index), line, column: 14 },
      })),
      expect.objectContaining({ verb: 'get', reason: 'client.get(Widget): a live read where the cache is behind' }),
    ]);
  });

  it('knows what guards ask for, where the operator has no other use for it', () => {
    const optionalOf = (text: string): string[] =>
      readCallsOf({ ...kinds, 'main.ts': `${head}\n${text}` }, ['main.ts']).optional.map(
        ({ group, resource, verb }) => `${verb} ${resource}.${group}`,
      );
    expect(optionalOf("manager.controller('a').for(Widget); await client.status.mergePatch(Widget, key, {});")).toEqual(
      ['create events.events.k8s.io', 'patch events.events.k8s.io', 'get widgets.example.com'],
    );
    expect(optionalOf('await client.mergePatch(Widget, key, {});')).toEqual([]);
  });

  it("knows the scope of Kubernetes' kinds", () => {
    const { uses } = readCallsOf({
      'main.ts': `import type { Client } from 'operator-runtime';
import { Namespace, Pod } from 'operator-runtime/apis/core/v1';
export const run = async (client: Client): Promise<void> => {
  await client.live.get(Namespace, { name: 'x' });
  await client.live.list(Pod);
};
`,
    });
    expect(uses.map(({ verb, resource, clusterScoped }) => [verb, resource, clusterScoped])).toEqual([
      ['get', 'namespaces', true],
      ['list', 'pods', false],
    ]);
  });

  it('reads only what the program imports', () => {
    const { uses } = readCallsOf(
      {
        ...kinds,
        'main.ts': "import './used.ts';\n",
        'used.ts': `${head}await client.live.get(Widget, key);\n`,
        'unused.ts': `${head}await client.delete(Widget, key);\n`,
      },
      ['main.ts'],
    );
    expect(uses.map(({ verb }) => verb)).toEqual(['get']);
  });
});
