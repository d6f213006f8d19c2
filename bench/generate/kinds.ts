import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many texts, and how many numbers, a kind has. */
export const membersOfKind = 30;

export const group = 'bench.example.com';

/**
 * Writes the types of this many kinds into a folder, each with 60 marked members, a whole PodTemplateSpec, a LabelSelector and
 * conditions. `writeGoKinds` writes the same kinds in Go.
 */
export function writeKinds(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index++) {
    writeFileSync(join(folder, `kind${index}.types.ts`), kind(index));
  }
}

function kind(index: number): string {
  const members = Array.from({ length: membersOfKind }, (_, member) => [
    '  /**',
    `   * text${member} is a text of kind ${index}.`,
    '   * @minLength 1',
    '   * @maxLength 63',
    '   */',
    `  text${member}?: string;`,
    '',
    `  /** @minimum ${member} */`,
    `  number${member}?: int32;`,
    '',
  ]);
  return [
    "import type { int32 } from 'operator-runtime';",
    "import type { PodTemplateSpec } from 'operator-runtime/apis/core/v1';",
    "import type { Condition, LabelSelector } from 'operator-runtime/apis/meta/v1';",
    '',
    `/** Kind${index}Spec is the wanted state. */`,
    `export interface Kind${index}Spec {`,
    '  /** selector finds the pods. */',
    '  selector: LabelSelector;',
    '',
    '  /** template is the pod to run. */',
    '  template: PodTemplateSpec;',
    '',
    ...members.flat(),
    '}',
    '',
    `/** Kind${index}Status is the seen state. */`,
    `export interface Kind${index}Status {`,
    '  /**',
    '   * conditions say how it is.',
    "   * @listType 'map', 'type'",
    '   */',
    '  conditions?: Condition[];',
    '}',
    '',
    '/**',
    ` * Kind${index} is one of many.`,
    ` * @resource { group: '${group}', version: 'v1' }`,
    ' * @statusSubresource',
    " * @printerColumn { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type==\"Ready\")].status' }",
    ' */',
    `export interface Kind${index} {`,
    `  spec: Kind${index}Spec;`,
    `  status?: Kind${index}Status;`,
    '}',
    '',
  ].join('\n');
}
