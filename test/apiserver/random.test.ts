import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';
import { apply, jsonPatch, mergePatch, runSequence, strategicMergePatch, type Step } from './sequence.ts';

const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
/** Seeds to run: `RANDOM_SEEDS=41-140` asks for others than the usual ones. */
const [from = 1, to = 40] = (process.env['RANDOM_SEEDS'] ?? '1-40').split('-').map(Number);
const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);
const length = 40;

/** Numbers in [0, 1) that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Requests of several managers to a few objects of a built-in and of a custom kind. */
function stepsOf(seed: number): readonly Step[] {
  const random = randomOf(seed);
  const pick = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(random() * values.length)] ?? values[0];
  const namespace = `random-${seed}`;
  const steps: Step[] = [{ path: '/api/v1/namespaces', body: { metadata: { name: namespace } } }];
  for (let index = 0; index < length; index++) {
    const chosen = pick(kinds);
    const custom = chosen === 'widget';
    const name = pick(['a', 'b']);
    const manager = pick(['one', 'two', 'three']);
    const { base, kind, member } = describeKind(chosen, namespace);
    const labels = random() < 0.3 ? { [pick(['x', 'y'])]: pick(['1', '2']) } : undefined;
    const finalizers = random() < 0.15 ? [pick(['example.com/f', 'example.com/g'])] : undefined;
    const content =
      chosen === 'deployment' || chosen === 'service'
        ? { spec: builtinSpec(chosen, pick, random) }
        : custom
          ? {
              spec: {
                ...(random() < 0.8 && { size: pick([1, 2, 3, 20]) }),
                ...(random() < 0.4 && { color: pick(['red', 'green', 'blue']) }),
              },
            }
          : {
              data: Object.fromEntries(
                ['p', 'q', 'r'].filter(() => random() < 0.5).map((key) => [key, pick(['1', '2'])]),
              ),
            };
    const metadata = { name, ...(labels !== undefined && { labels }), ...(finalizers !== undefined && { finalizers }) };
    const object = { ...kind, metadata, ...content };
    const path = `${base}/${name}?fieldManager=${manager}`;
    const action = pick([
      'create',
      'create',
      'put',
      'merge',
      'merge',
      'json',
      'strategic',
      'apply',
      'apply',
      'force',
      'status',
      'delete',
      'release',
      'list',
    ]);
    switch (action) {
      case 'create':
        steps.push({ path: `${base}?fieldManager=${manager}`, body: object });
        break;
      case 'put':
        steps.push(
          { path: `${base}/${name}` },
          { method: 'PUT', path, make: (answers) => withVersion(object, answers.at(-1)) },
        );
        break;
      case 'merge':
        steps.push({
          method: 'PATCH',
          path,
          body: { metadata: { ...(labels !== undefined && { labels }) }, ...content },
          headers: mergePatch,
        });
        break;
      case 'json':
        steps.push({
          method: 'PATCH',
          path,
          body: [
            {
              op: pick(['add', 'replace', 'remove']),
              path: member,
              value: pick(['red', 'green']),
            },
          ],
          headers: jsonPatch,
        });
        break;
      case 'strategic':
        steps.push({
          method: 'PATCH',
          path,
          body: { metadata: { labels: { z: pick(['1', '2']) } } },
          headers: strategicMergePatch,
        });
        break;
      case 'apply':
      case 'force':
        steps.push({
          method: 'PATCH',
          path: `${path}${action === 'force' ? '&force=true' : ''}`,
          body: object,
          headers: apply,
        });
        break;
      case 'status':
        steps.push({
          method: 'PATCH',
          path: custom ? path.replace('?', '/status?') : path,
          body: { status: { phase: pick(['x', 'y']) } },
          headers: mergePatch,
        });
        break;
      case 'delete':
        steps.push({ method: 'DELETE', path: `${base}/${name}` });
        break;
      case 'release':
        steps.push({ method: 'PATCH', path, body: { metadata: { finalizers: null } }, headers: mergePatch });
        break;
      default:
        steps.push({ path: base });
    }
  }
  return steps;
}

type Kind = 'widget' | 'configmap' | 'deployment' | 'service';
/** Half of the requests are about custom resources. */
const kinds = ['widget', 'widget', 'widget', 'configmap', 'deployment', 'service'] as const;

function describeKind(
  kind: Kind,
  namespace: string,
): { readonly base: string; readonly kind: Record<string, string>; readonly member: string } {
  const of = (group: string, name: string, plural: string, member: string) => ({
    base: `/${group === 'v1' ? 'api' : 'apis'}/${group}/namespaces/${namespace}/${plural}`,
    kind: { apiVersion: group, kind: name },
    member,
  });
  const described = {
    widget: of('example.com/v1', 'Widget', 'widgets', '/spec/color'),
    deployment: of('apps/v1', 'Deployment', 'deployments', '/metadata/labels/x'),
    service: of('v1', 'Service', 'services', '/metadata/labels/x'),
    configmap: of('v1', 'ConfigMap', 'configmaps', '/data/p'),
  };
  return described[kind];
}

/** Specs of which some are refused: lists that merge by keys, numbers out of range, selectors that do not fit. */
function builtinSpec(
  kind: 'deployment' | 'service',
  pick: <T>(values: readonly [T, ...T[]]) => T,
  random: () => number,
): Record<string, unknown> {
  if (kind === 'service') {
    const ports = ['http', 'https', 'metrics'].filter(() => random() < 0.5);
    return {
      selector: { app: pick(['a', 'b']) },
      ports: ports.map((name, index) => ({ name, port: pick([80, 443, 0]) + index })),
    };
  }
  const containers = ['app', 'proxy'].filter(() => random() < 0.7);
  return {
    ...(random() < 0.5 && { replicas: pick([1, 2, -1]) }),
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: pick(['a', 'a', 'a', 'b']) } },
      spec: {
        containers: containers.map((name) => ({
          name,
          image: pick(['x:1', 'x:2']),
          ...(random() < 0.4 && { env: [{ name: pick(['A', 'B']), value: pick(['1', '2']) }] }),
          ...(random() < 0.3 && { ports: [{ containerPort: pick([80, 81]) }] }),
        })),
      },
    },
  };
}

function withVersion(object: { readonly metadata: Record<string, unknown> }, answer: unknown): unknown {
  const version = (answer as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;
  return { ...object, metadata: { ...object.metadata, ...(version !== undefined && { resourceVersion: version }) } };
}

describe.skipIf(assets === '')('random requests (skipped: KUBEBUILDER_ASSETS names no real server)', () => {
  let embedded: TestEnvironment;
  let real: TestEnvironment;

  beforeAll(async () => {
    embedded = await startTestEnvironment({ assets: '', manifests: [widgets] });
    real = await startTestEnvironment({ assets, manifests: [widgets], timeout: 120_000 });
  }, 120_000);
  afterAll(async () => {
    await embedded.stop();
    await real.stop();
  });

  it.each(seeds)(
    'are answered alike: seed %d',
    async (seed) => {
      const steps = stepsOf(seed);
      const sequence = { name: `seed ${seed}`, steps };
      const ours = await runSequence(sequence, (step) => embedded.request(step));
      const theirs = await runSequence(sequence, (step) => real.request(step));
      const first = ours.findIndex((answer, index) => JSON.stringify(answer) !== JSON.stringify(theirs[index]));
      expect({ index: first, step: steps[first], answer: ours[first] }).toEqual({
        index: first,
        step: steps[first],
        answer: theirs[first],
      });
    },
    60_000,
  );
});
