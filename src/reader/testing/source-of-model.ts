import type { Kind, Model, Version, Webhook } from '../../model/index.ts';
import { type Notation, sourceOfSchema } from './source-of-schema.ts';

/** Files of TypeScript, by their paths, that the reader reads back as the same model. */
export function sourcesOfModel(model: Model, notation: Notation): Record<string, string> {
  const files: Record<string, string> = {};
  model.kinds.forEach((kind, index) => {
    for (const version of kind.versions)
      files[`kind${index}/${version.name}.ts`] = sourceOfVersion(kind, version, notation);
  });
  files['rules.ts'] =
    `${imports}${marks('Rbac', model.policyRules.map(withoutPosition), notation)}export class Reconciler {}\n`;
  const webhooks = model.webhooks.map((webhook): [string, object] => [
    `${webhook.type}Webhook`,
    webhookOptions(webhook),
  ]);
  const configurations = model.webhookConfigurations.map((each): [string, object] => [
    'WebhookConfiguration',
    withoutPosition(each),
  ]);
  const all = [...webhooks, ...configurations].map(([name, options]) => marks(name, [options], notation));
  files['webhooks.ts'] = `${imports}${all.join('')}export class Handler {}\n`;
  return files;
}

const imports = `import type { integer, int32, int64, float, double, IntOrString } from 'operator-runtime';
import * as m from 'operator-runtime/markers';
`;

function sourceOfVersion(kind: Kind, version: Version, notation: Notation): string {
  const { members, declarations } = sourceOfSchema(version.schema, notation);
  const { group, plural, singular, scope, shortNames, categories } = kind;
  const { name, served, storage, deprecated, deprecationWarning } = version;
  const resource = {
    group,
    version: name,
    kind: kind.kind,
    plural,
    singular,
    scope,
    shortNames,
    categories,
    served,
    ...(kind.versions.length === 1 ? {} : { storage }),
    ...(deprecated ? { deprecated: deprecationWarning ?? true } : {}),
  };
  // What belongs to the whole kind is said by its first version.
  const first = kind.versions[0] === version;
  const { labels, annotations } = kind;
  const metadata = { labels: Object.fromEntries(labels), annotations: Object.fromEntries(annotations) };
  const all = [
    marks('Resource', [resource], notation),
    ...(version.statusSubresource ? [marks('StatusSubresource', [undefined], notation)] : []),
    ...(version.scaleSubresource === undefined
      ? []
      : [marks('ScaleSubresource', [withoutPosition(version.scaleSubresource)], notation)]),
    marks('PrinterColumn', version.printerColumns.map(withoutPosition), notation),
    marks('SelectableField', version.selectableFields.map(withoutPosition), notation),
    ...(first && labels.size + annotations.size > 0 ? [marks('Metadata', [metadata], notation)] : []),
  ];
  const status = version.statusSubresource ? 'status?: { n?: number };' : '';
  const container = notation === 'decorators' ? 'class' : 'interface';
  return `${imports}${declarations}
${container} Spec {
${members}
}
${all.join('')}export ${container} Declared { spec${notation === 'decorators' ? '!' : ''}: Spec; ${status} }
`;
}

/** One marker for each of the options; `undefined` stands for none. */
function marks(name: string, all: readonly (object | undefined)[], notation: Notation): string {
  const values = all.map((options) => (options === undefined ? '' : JSON.stringify(options)));
  if (notation === 'decorators') return values.map((value) => `@m.${name}(${value})\n`).join('');
  const tag = name.charAt(0).toLowerCase() + name.slice(1);
  return values.map((value) => `/** @${tag} ${value.replaceAll('*/', '*\\/')} */\n`).join('');
}

function withoutPosition(options: object): object {
  return without(options, 'position');
}

function webhookOptions(webhook: Webhook): object {
  return without(webhook, 'type', 'position');
}

function without(options: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}
