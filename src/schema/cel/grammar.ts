import type { TokenKind } from './lexer.ts';

/** The words and tokens that the parser tells apart, with the functions that operators are. */

export const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

export const relations = new Map<TokenKind, string>([
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['in', '@in'],
]);
export const additions = new Map<TokenKind, string>([
  ['+', '_+_'],
  ['-', '_-_'],
]);
export const multiplications = new Map<TokenKind, string>([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
]);

export const expressionStart = `{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`;
export const starters = new Set<TokenKind>([
  '[',
  '{',
  '(',
  '.',
  '-',
  '!',
  'true',
  'false',
  'null',
  'float',
  'int',
  'uint',
  'string',
  'bytes',
  'identifier',
]);
