import { readFileSync } from 'node:fs';
import { ts } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import { apiCall } from './api.ts';

const runtime = new URL('../../runtime/', import.meta.url);

/** What takes a kind or an object and sends nothing. */
const sendNothing = new Set([
  'Cache.existing',
  'Cache.remove',
  'Client.kindFor',
  'Client.subresource',
  'isControlledBy',
  'isOwnedBy',
  'withoutOwnerReference',
  'ownerReference',
  'withOwnerReference',
  'hasFinalizer',
  'isBeingDeleted',
  'newEvent',
]);

/** `Client.get`, `addFinalizer`: the exported functions, and the methods of exported interfaces and classes, that take a kind or an object. */
function takers(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(new URL(file, runtime), 'utf8'), ts.ScriptTarget.Latest, true);
  const takesKind = (node: ts.SignatureDeclaration): boolean =>
    node.parameters.some(({ type }) => /^(Kind(With)?\b|Cached<)/.test(type?.getText() ?? ''));
  return source.statements.flatMap((statement) => {
    const exported =
      ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.[0]?.kind === ts.SyntaxKind.ExportKeyword;
    if (!exported) return [];
    if (ts.isFunctionDeclaration(statement)) return takesKind(statement) ? [statement.name?.text ?? ''] : [];
    if (!ts.isInterfaceDeclaration(statement) && !ts.isClassDeclaration(statement)) return [];
    return [...statement.members].flatMap((member) =>
      (ts.isMethodSignature(member) || ts.isMethodDeclaration(member)) &&
      !ts.isPrivateIdentifier(member.name) &&
      takesKind(member)
        ? [`${statement.name?.text ?? ''}.${member.name.getText()}`]
        : [],
    );
  });
}

describe('apiCall', () => {
  it.each([
    ['client/types.ts', 24],
    ['controller/builder.ts', 3],
    ['cache/cache.ts', 3],
    ['owner/finalizer.ts', 4],
    ['owner/owner-reference.ts', 5],
    ['owner/finalizers.ts', 1],
    ['ensure/create-or-update.ts', 1],
    ['ensure/create-or-patch.ts', 1],
    ['ensure/apply-if-changed.ts', 1],
    ['ensure/patch-status.ts', 1],
    ['events/event.ts', 1],
  ])('knows what each function and method of %s needs', (file, atLeast) => {
    const found = [...new Set(takers(file))];
    expect(found.length).toBeGreaterThanOrEqual(atLeast);
    expect(found.filter((name) => apiCall(name) === undefined && !sendNothing.has(name))).toEqual([]);
  });

  it('knows what each method of the client of one kind needs', () => {
    const file = 'client/kind-client-types.ts';
    const source = ts.createSourceFile(
      file,
      readFileSync(new URL(file, runtime), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const methods = source.statements
      .filter(ts.isInterfaceDeclaration)
      .flatMap(({ name, members }) =>
        members.filter(ts.isMethodSignature).map((member) => `${name.text}.${member.name.getText()}`),
      );
    expect(methods.length).toBeGreaterThan(15);
    expect(methods.filter((name) => apiCall(name) === undefined)).toEqual([]);
  });

  it('knows nothing of other names', () => {
    expect(apiCall('toString')).toBeUndefined();
    expect(apiCall('Client.toString')).toBeUndefined();
  });
});
