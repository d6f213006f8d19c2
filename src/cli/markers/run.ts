import {
  type ArgumentType,
  type Marker,
  markerByName,
  markerByTag,
  markers,
  nearest,
  type Parameter,
} from '../../markers/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import type { MarkersFlags } from './flags.ts';

/** `create-operator markers [name]` */
export function runMarkers(name: string | undefined, { format }: MarkersFlags, io: Io): ExitCode {
  const chosen = name === undefined ? markers : [find(name)];
  if (format === 'json') io.stdout.write(`${JSON.stringify(chosen.map(toJson), undefined, 2)}\n`);
  else io.stdout.write(name === undefined ? overview(chosen) : chosen.map(details).join('\n'));
  return exitCode.done;
}

function find(name: string): Marker {
  const bare = name.replace(/^@/, '').replace(/\(.*$/, '');
  const marker = markerByName(bare) ?? markerByTag(bare);
  if (marker !== undefined) return marker;
  const meant = nearest(bare, [...markers.map((each) => each.name), ...markers.map(({ tag }) => tag)]);
  throw new UsageError(
    `there is no marker ${bare}`,
    meant === undefined ? 'create-operator markers lists them' : `did you mean ${meant}?`,
  );
}

function overview(chosen: readonly Marker[]): string {
  const width = Math.max(...chosen.map(({ name }) => name.length));
  return chosen.map(({ name, help }) => `${name.padEnd(width)}  ${help}\n`).join('');
}

function details(marker: Marker): string {
  const parameters = marker.parameters.map(signature).join(', ');
  return [
    `@${marker.name}(${parameters})`,
    `@${marker.tag}${parameters === '' ? '' : ` ${parameters}`}   (JSDoc)`,
    '',
    `  ${marker.help}`,
    `  stands on: ${marker.targets.join(', ')}; ${marker.repeatable ? 'may stand several times' : 'stands once'}`,
    ...marker.parameters.flatMap(options),
    '',
  ].join('\n');
}

function signature({ name, type, optional, rest }: Parameter): string {
  const text = `${name}${optional === true ? '?' : ''}: ${type.kind === 'options' ? '{ ... }' : typeText(type)}`;
  return rest === undefined ? text : `...${text}`;
}

function options({ type }: Parameter): string[] {
  if (type.kind !== 'options') return [];
  return Object.entries(type.members).map(
    ([name, option]) => `    ${name}${option.required === true ? '' : '?'}: ${typeText(option.type)}`,
  );
}

function typeText(type: ArgumentType): string {
  switch (type.kind) {
    case 'text':
      return type.values.map((value) => `'${value}'`).join(' | ');
    case 'strings':
      return 'string[]';
    case 'stringMap':
      return 'Record<string, string>';
    case 'booleanOrString':
      return 'boolean | string';
    case 'pattern':
      return 'string | RegExp';
    case 'options':
      return `{ ${Object.entries(type.members)
        .map(([name, { type: member, required }]) => `${name}${required === true ? '' : '?'}: ${typeText(member)}`)
        .join('; ')} }`;
    case 'list':
      return type.items.kind === 'text' ? `(${typeText(type.items)})[]` : `${typeText(type.items)}[]`;
    case 'count':
      return 'whole number';
    case 'json':
      return 'any JSON value';
    case 'scalar':
      return 'string | number | boolean';
    default:
      return type.kind;
  }
}

function toJson(marker: Marker): object {
  const { name, tag, targets, parameters, repeatable, help } = marker;
  return { name, tag, targets, repeatable, help, parameters };
}
