import { compilePattern, PatternError } from '../../re2.ts';
import { argument, declare, type Library, member } from '../declarations.ts';
import { ArrayList } from '../lists.ts';
import { intType, listOf, stringType } from '../types.ts';
import { CelError, noSuchOverload, type Value } from '../values.ts';

function find(text: Value, pattern: Value, limit: Value | undefined): Value {
  if (typeof text !== 'string') return noSuchOverload(text);
  if (typeof pattern !== 'string') return noSuchOverload(pattern);
  if (limit !== undefined && typeof limit !== 'bigint') return noSuchOverload(limit);
  try {
    const compiled = compilePattern(pattern);
    if (limit === undefined) return compiled.find(text) ?? '';
    return new ArrayList(limit === 0n ? [] : compiled.findAll(text, limit < 0n ? -1 : Number(limit)));
  } catch (error) {
    if (error instanceof PatternError) return new CelError(`Illegal regex: ${error.message}`);
    throw error;
  }
}

/** `find` and `findAll`. */
export const patternsLibrary: Library = {
  since: 0,
  functions: [
    declare(
      'find',
      member('string_find_string', [stringType, stringType], stringType, (args) =>
        find(argument(args, 0), argument(args, 1), undefined),
      ),
    ),
    declare(
      'findAll',
      member('string_find_all_string', [stringType, stringType], listOf(stringType), (args) =>
        find(argument(args, 0), argument(args, 1), -1n),
      ),
      member('string_find_all_string_int', [stringType, stringType, intType], listOf(stringType), (args) =>
        find(argument(args, 0), argument(args, 1), argument(args, 2)),
      ),
    ),
  ],
};
