import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import type { Kind, PolicyRule } from '../model/index.ts';
import { plain, type PlainSchema, readSources } from './testing/read-sources.ts';

const fixtures = new URL('../../fixtures/compute/', import.meta.url);
const golden = new URL('../../../shared/golden/compute/', import.meta.url);

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly scope: string;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly additionalPrinterColumns: readonly unknown[];
      readonly schema: { readonly openAPIV3Schema: PlainSchema };
      readonly subresources: unknown;
    }[];
  };
}

function sourcesOf(notation: string): Record<string, string> {
  const folder = new URL(`${notation}/`, fixtures);
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
}

function definition(kind: Kind): Definition['spec'] {
  return {
    group: kind.group,
    names: {
      kind: kind.kind,
      listKind: kind.listKind,
      plural: kind.plural,
      singular: kind.singular,
      ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    },
    scope: kind.scope,
    versions: kind.versions.map((version) => ({
      name: version.name,
      served: version.served,
      storage: version.storage,
      additionalPrinterColumns: version.printerColumns.map(withoutPosition),
      schema: { openAPIV3Schema: plain(version.schema) },
      subresources: version.statusSubresource ? { status: {} } : {},
    })),
  };
}

function withoutPosition(value: object): unknown {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'position'));
}

/** The single permissions that rules grant: group, resource, verb. */
function permissions(
  rules: readonly { groups: readonly string[]; resources: readonly string[]; verbs: readonly string[] }[],
): string[] {
  return rules
    .flatMap(({ groups, resources, verbs }) =>
      groups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`))),
    )
    .sort();
}

describe('fixtures/compute', () => {
  it('gives the same model in both notations', () => {
    const [decorators, tags] = ['decorators', 'jsdoc'].map((notation) => readSources(sourcesOf(notation)));
    expect(decorators?.diagnostics).toEqual([]);
    expect(tags?.diagnostics).toEqual([]);
    expect(tags?.model.kinds.map(definition)).toEqual(decorators?.model.kinds.map(definition));
    const rules = (all: readonly PolicyRule[] = []): unknown => all.map(withoutPosition);
    expect(rules(tags?.model.policyRules)).toEqual(rules(decorators?.model.policyRules));
  });

  describe.skipIf(!existsSync(golden))('against what controller-gen wrote (needs ../shared)', () => {
    const { model } = readSources(sourcesOf('decorators'));

    it('gives the permissions of the role', () => {
      const text = readFileSync(new URL('rbac/role.yaml', golden), 'utf8');
      const role = parse(text) as { rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] };
      const wanted = permissions(role.rules.map(({ apiGroups, ...rule }) => ({ groups: apiGroups, ...rule })));
      expect(permissions(model.policyRules)).toEqual(wanted);
    });
  });
});
