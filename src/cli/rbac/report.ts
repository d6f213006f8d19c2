import { qualified, type ResourceUsage, type Usage } from '../../generate/rbac/usage/index.ts';
import type { Diagnostic, SourcePosition } from '../../model/index.ts';
import { diagnosticToJson } from '../diagnostics.ts';

/** Each resource with its verbs, each verb with the calls that need it; then the calls that could not be resolved. */
export function usageText({ resources, unresolved }: Usage): string {
  const blocks = resources.map(resourceText);
  if (unresolved.length > 0) {
    const lines = unresolved.map(
      ({ call, problem, verbs, position }) =>
        `  ${placeText(position)}  ${call}${verbs.length === 0 ? '' : ` (${verbs.join(', ')})`}: ${problem}\n`,
    );
    blocks.push(`not resolved\n${lines.join('')}`);
  }
  return blocks.length === 0 ? 'no permission is used, and none is granted\n' : blocks.join('\n');
}

function resourceText({ group, resource, verbs }: ResourceUsage): string {
  const rows = verbs.flatMap(({ verb, state, needed, reasons, grantedBy }): [string, string, string][] => {
    if (reasons.length === 0) {
      return grantedBy.map((position, index) => [index === 0 ? verb : '', placeText(position), 'granted, not used']);
    }
    const mark = !needed
      ? ' - optional'
      : state === 'not'
        ? ' - NOT GRANTED'
        : state === 'partly'
          ? ' - granted for some names only'
          : '';
    return reasons.map(({ text, position }, index) => [
      index === 0 ? verb : '',
      placeText(position),
      `${text}${index === 0 ? mark : ''}`,
    ]);
  });
  const width = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  const lines = rows.map(([verb, place, text]) => `  ${verb.padEnd(width(0))}  ${place.padEnd(width(1))}  ${text}\n`);
  return `${qualified(group, resource)}\n${lines.join('')}`;
}

function placeText({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}

/** The same for machines, with all diagnostics. */
export function usageJson({ resources, unresolved }: Usage, diagnostics: readonly Diagnostic[]): object {
  return {
    resources: resources.map(({ group, resource, verbs }) => ({
      group,
      resource,
      verbs: verbs.map(({ verb, state, needed, reasons, grantedBy }) => ({
        verb,
        ...(reasons.length > 0 && !needed ? { optional: true } : {}),
        used: reasons.length > 0,
        granted: state === 'partly' ? 'some' : reasons.length === 0 || state === 'granted',
        reasons: reasons.map(({ text, position }) => ({ text, ...position })),
        grantedBy,
      })),
    })),
    unresolved: unresolved.map(({ position, ...rest }) => ({ ...rest, ...position })),
    diagnostics: diagnostics.map(diagnosticToJson),
  };
}
