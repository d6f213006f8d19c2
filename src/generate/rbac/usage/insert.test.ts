import { describe, expect, it } from 'vitest';
import type { MarkerPlace, PermissionUse } from '../../../model/index.ts';
import { at, rule } from '../../testing/model.ts';
import { insertMarkers } from './index.ts';

const file = 'src/controllers/widget-controller.ts';
const use = (verb: string, resource = 'widgets', line = 5, parts: Partial<PermissionUse> = {}): PermissionUse => ({
  group: 'example.com',
  resource,
  verb,
  reason: verb,
  position: at(line, 1, file),
  ...parts,
});

/** A class as the reader finds it in a text, by simple means. */
function place(text: string, parts: Partial<MarkerPlace> = {}): MarkerPlace {
  const start = text.indexOf('export class');
  const comment = text.indexOf('/**');
  const lines = text.split('\n');
  return {
    file,
    className: 'R',
    firstLine: 1,
    lastLine: lines.length,
    reconciles: true,
    notation: 'decorator',
    decoratorName: 'Rbac',
    decoratorOffset: start,
    comment: comment === -1 ? undefined : { start: comment, end: text.indexOf('*/') + 2 },
    commentOffset: start,
    importOffset: Math.max(
      0,
      text.lastIndexOf('import ') === -1 ? 0 : text.indexOf('\n', text.lastIndexOf('import ')) + 1,
    ),
    markerImportOffset: undefined,
    ...parts,
  };
}

function inserted(
  text: string,
  missing: readonly PermissionUse[],
  parts: Partial<MarkerPlace> = {},
): string | undefined {
  const places = [place(text, parts)];
  return insertMarkers({ missing, places, policyRules: [], ownNamespace: 'op-system', read: () => text })?.[0]?.after;
}

const body = 'export class R {}\n';

describe('insertMarkers', () => {
  it('writes decorators, one for the resources with the same verbs', () => {
    const missing = [
      use('patch'),
      use('get'),
      use('patch', 'gadgets'),
      use('get', 'gadgets'),
      use('patch', 'widgets/status'),
    ];
    expect(inserted(body, missing)).toBe(
      "@Rbac({ groups: ['example.com'], resources: ['gadgets', 'widgets'], verbs: ['get', 'patch'] })\n" +
        "@Rbac({ groups: ['example.com'], resources: ['widgets/status'], verbs: ['patch'] })\n" +
        body,
    );
  });

  it('writes namespaces, the own one included', () => {
    const missing = [use('get', 'a', 1, { namespace: 'x' }), use('get', 'b', 1, { ownNamespace: true })];
    expect(inserted(body, missing)).toBe(
      "@Rbac({ groups: ['example.com'], resources: ['a'], verbs: ['get'], namespace: 'x' })\n" +
        "@Rbac({ groups: ['example.com'], resources: ['b'], verbs: ['get'], namespace: 'op-system' })\n" +
        body,
    );
  });

  it('breaks what is too long', () => {
    const missing = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'].map((verb) =>
      use(verb, 'averyveryverylongresourcename'),
    );
    expect(inserted(body, missing)).toBe(
      "@Rbac({\n  groups: ['example.com'],\n  resources: ['averyveryverylongresourcename'],\n" +
        "  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],\n})\n" +
        body,
    );
  });

  it('imports the decorator where it is not, in the quotes and line ends of the file', () => {
    const text = `import { a } from "a";\r\n\r\n${body}`;
    expect(inserted(text, [use('get')], { decoratorName: undefined })).toBe(
      'import { a } from "a";\r\nimport { Rbac } from "operator-runtime/markers";\r\n\r\n' +
        '@Rbac({ groups: ["example.com"], resources: ["widgets"], verbs: ["get"] })\r\n' +
        body,
    );
  });

  it('adds to an import of markers, and keeps a name of the user’s', () => {
    const text = `import { Minimum } from 'operator-runtime/markers';\n${body}`;
    const end = text.indexOf('Minimum') + 'Minimum'.length;
    expect(inserted(text, [use('get')], { decoratorName: undefined, markerImportOffset: end })).toMatch(
      /^import \{ Minimum, Rbac \} from/,
    );
    expect(inserted(body, [use('get')], { decoratorName: 'm.Rbac' })).toMatch(/^@m\.Rbac\(\{/);
  });

  const tag = "@rbac { groups: ['example.com'], resources: ['widgets'], verbs: ['get'] }";
  it.each([
    ['no comment', '', `/**\n * ${tag}\n */\n`],
    ['one line', '/** Makes widgets. */\n', `/**\n * Makes widgets.\n *\n * ${tag}\n */\n`],
    ['one line with a tag', '/** @beta */\n', `/**\n * @beta\n * ${tag}\n */\n`],
    ['several lines', '/**\n * Makes widgets.\n */\n', `/**\n * Makes widgets.\n *\n * ${tag}\n */\n`],
    [
      'several lines with tags',
      '/**\n * Makes.\n *\n * @beta\n */\n',
      `/**\n * Makes.\n *\n * @beta\n * ${tag}\n */\n`,
    ],
    ['line ends of Windows', '/**\r\n * Makes.\r\n */\r\n', `/**\r\n * Makes.\r\n *\r\n * ${tag}\r\n */\r\n`],
  ])('writes tags below %s', (_title, before, after) => {
    expect(inserted(before + body, [use('get')], { notation: 'tag' })).toBe(after + body);
  });

  describe('chooses the class', () => {
    const text = 'export class A {}\nexport class B {}\n';
    const a = place(text, {
      className: 'A',
      firstLine: 1,
      lastLine: 1,
      reconciles: false,
      notation: undefined,
      decoratorOffset: 0,
    });
    const b = place(text, { className: 'B', firstLine: 2, lastLine: 2, decoratorOffset: 18 });
    const other = { ...b, file: 'other.ts', className: 'C', decoratorOffset: 0, firstLine: 1, lastLine: 1 };
    it.each<[string, PermissionUse, MarkerPlace[], string]>([
      ['around the call', use('get', 'widgets', 1), [a, b], file],
      ['that reconciles, beside the call', use('get', 'widgets', 9), [a, b], file],
      [
        'with markers for the resource',
        use('get', 'widgets', 9, { position: at(1, 1, 'main.ts') }),
        [{ ...a, file: 'a.ts' }, b, other],
        'other.ts',
      ],
      [
        'that reconciles, anywhere',
        use('get', 'gadgets', 9, { position: at(1, 1, 'main.ts') }),
        [{ ...a, file: 'a.ts' }, b],
        file,
      ],
    ])('%s', (_title, missing, places, expected) => {
      const policyRules = [
        rule({ groups: ['example.com'], resources: ['widgets/status'], position: at(1, 1, 'other.ts') }),
      ];
      const edited = insertMarkers({
        missing: [missing],
        places,
        policyRules,
        ownNamespace: undefined,
        read: () => text,
      });
      expect(edited?.map((each) => each.file)).toEqual([expected]);
    });

    it('and says when there is none', () => {
      const parts = { policyRules: [], ownNamespace: undefined, read: () => '' };
      expect(insertMarkers({ missing: [use('get')], places: [], ...parts })).toBeUndefined();
    });
  });
});
