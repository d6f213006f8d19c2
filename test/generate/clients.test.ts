// Generated clients as users' tools see them: formatted, and left out of a bundle that does not use them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { format } from 'prettier';
import { afterAll, describe, expect, it } from 'vitest';
import { emitClients } from '../../src/generate/client/client.ts';
import { kindInfo, kindShapes, runtimeNames } from '../../src/generate/client/shapes.ts';
import { kind, version } from '../../src/generate/testing/model.ts';
import { root } from '../../tools/repository.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'clients-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scaled = version({
  scaleSubresource: { specReplicasPath: '.a', statusReplicasPath: '.b', position: version().position },
});
const { files } = emitClients(
  [
    kind(),
    kind({ kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', versions: [scaled] }),
    kind({
      kind: 'Zone',
      listKind: 'ZoneList',
      plural: 'zones',
      scope: 'Cluster',
      versions: [version({ statusSubresource: false })],
    }),
    kind({ kind: 'ContinuousDeliveryPipelineRun', listKind: 'Runs', plural: 'runs' }),
  ],
  'api',
  folder,
);
for (const { path, content } of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** What a bundler makes of a program that imports `api/index.ts`, which exports all clients. */
async function bundled(program: string): Promise<string> {
  writeFileSync(join(folder, 'api/index.ts'), files.map(({ path }) => `export * from '.${path.slice(3)}';\n`).join(''));
  writeFileSync(join(folder, 'main.ts'), `import { Widget, WidgetClient } from './api/index.ts';\n${program}\n`);
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    alias: { 'operator-runtime': join(root, 'src/runtime/index.ts') },
    external: ['@kubernetes/client-node'],
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

describe('generated clients', () => {
  it.each(files)('prettier leaves $path as it is', async ({ content }) => {
    expect(await format(content, { parser: 'typescript', singleQuote: true, printWidth: 120 })).toBe(content);
  });

  it.each(
    (['Namespaced', 'Cluster'] as const).flatMap((scope) =>
      ([[], ['status'], ['scale'], ['status', 'scale']] as const).flatMap((subresources) =>
        [undefined, "{\n  spec: {\n    a: ['b'];\n  };\n}"].map((listKeys) => ({ scope, subresources, listKeys })),
      ),
    ),
  )('prettier leaves kinds with names of any length as they are: $scope $subresources $listKeys', async (shape) => {
    for (let length = 1; length <= 63; length++) {
      const name = `W${'i'.repeat(length - 1)}`;
      const info = { group: 'example.com', kind: name, plural: `${name.toLowerCase()}s`, scope: shape.scope };
      const content = kindShapes(
        { ...shape, name, apiVersion: 'example.com/v1', listKind: `${name}List` },
        kindInfo(info, 'v1', shape.subresources),
        runtimeNames(new Set([name])),
      );
      expect(await format(content, { parser: 'typescript', singleQuote: true, printWidth: 120 })).toBe(content);
    }
  });

  it('stay out of a bundle that does not use them', async () => {
    const text = await bundled('console.log(Widget.plural);');
    expect(text).toContain('"widgets"');
    expect(text).not.toMatch(/gadgets|zones|ClientOfKind/);
    // The bundle holds what makes a kind, and nothing else of the runtime.
    expect(text.length).toBeLessThan(2_000);
  });

  it('come into a bundle that uses one, without the others', async () => {
    const text = await bundled("export const first = (client) => WidgetClient(client, 'a').get('b');");
    expect(text).toMatch(/ClientOfKind/);
    expect(text).not.toMatch(/gadgets|zones/);
  });
});
