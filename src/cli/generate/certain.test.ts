import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../model/index.ts';
import { certainProblems } from './certain.ts';

const error = (code: string, line: number, path?: string, message = 'wrong'): Diagnostic => ({
  code,
  severity: 'error',
  message,
  position: { file: 'a.ts', line, column: 1 },
  ...(path === undefined ? {} : { path }),
});

const permission = error('CO2106', 1);
const column = error('CO2011', 2);
const pattern = error('CO2050', 3, 'spec.name');
const rule = error('CO2053', 4, 'spec');
const list = error('CO2050', 5, 'spec.list');
const costly = error('CO2053', 6, 'spec.list', 'Forbidden: estimated rule cost exceeds budget');
const all = [permission, column, pattern, rule, list, costly];

describe('certainProblems', () => {
  it.each<[string, Diagnostic[], Diagnostic[]]>([
    ['a member without a schema', [error('CO1202', 9, 'spec.size')], [permission, pattern, list]],
    ['the items of a list without a schema', [error('CO1201', 9, 'spec.list[*].key')], [permission, pattern]],
    ['a member whose name only begins alike', [error('CO1201', 9, 'spec.lists')], [permission, pattern, list]],
    ['a misspelt marker elsewhere', [error('CO1103', 9)], [permission, column, pattern, rule, list]],
    ['a misspelt marker on the member itself', [error('CO1103', 3)], [permission, column, rule, list]],
    [
      'a decorator that does not fit',
      [error('CO1005', 9, undefined, 'no (TS1240)')],
      [permission, column, pattern, rule, list],
    ],
    [
      'arguments that do not fit',
      [error('CO1005', 9, undefined, 'no (TS2345)')],
      [permission, column, pattern, rule, list],
    ],
    ['a base class that is not there', [error('CO1005', 9, undefined, 'no (TS2304)')], [permission]],
    ['a file that TypeScript cannot read', [error('CO1005', 9, undefined, 'no (TS1005)')], [permission]],
    ['a kind with a wrong name', [error('CO1303', 9)], [permission]],
  ])('leaves out what may follow from %s', (_name, unread, expected) => {
    expect(certainProblems(all, unread)).toEqual(expected);
  });
});
