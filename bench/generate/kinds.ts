import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const membersOfKind = 30;

/** Writes the types of this many kinds into a folder, each with 60 marked members and a whole PodTemplateSpec. */
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
    '',
    `/** Kind${index}Spec is the wanted state. */`,
    `export interface Kind${index}Spec {`,
    '  /** template is the pod to run. */',
    '  template: PodTemplateSpec;',
    '',
    ...members.flat(),
    '}',
    '',
    '/**',
    ` * Kind${index} is one of many.`,
    " * @resource { group: 'bench.example.com', version: 'v1' }",
    ' */',
    `export interface Kind${index} {`,
    `  spec: Kind${index}Spec;`,
    '}',
    '',
  ].join('\n');
}
