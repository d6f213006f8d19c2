import { expect, it } from 'vitest';
import { table } from './table.ts';

const columnDefinitions = [
  { name: 'Name', priority: 0 },
  { name: 'Size', priority: 0 },
  { name: 'External', priority: 1 },
  { name: 'Age', priority: 0 },
];

it('prints a Table as kubectl does', () => {
  const rows = [{ cells: ['widget-sample', 3, 'widget-1', '5s'] }, { cells: ['b', null, 'widget-2', '10d'] }];
  expect(table({ columnDefinitions, rows }).split('\n')).toEqual([
    'NAME            SIZE   AGE',
    'widget-sample   3      5s',
    'b                      10d',
  ]);
});

it('prints the titles alone where there is no row', () => {
  expect(table({ columnDefinitions, rows: null })).toBe('NAME   SIZE   AGE');
});
