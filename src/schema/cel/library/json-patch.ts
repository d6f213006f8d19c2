import { argument, declare, type Library, overload } from '../declarations.ts';
import { stringType } from '../types.ts';
import { noSuchOverload } from '../values.ts';

/** `jsonpatch.escapeKey`, for mutations only. */
export const jsonPatchLibrary: Library = {
  since: 0,
  functions: [
    declare(
      'jsonpatch.escapeKey',
      overload('string_jsonpatch_escapeKey_string', [stringType], stringType, (args) => {
        const key = argument(args, 0);
        return typeof key === 'string' ? key.replaceAll('~', '~0').replaceAll('/', '~1') : noSuchOverload(key);
      }),
    ),
  ],
};
