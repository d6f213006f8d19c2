import type { Diagnostic } from '../../model/index.ts';

/** Codes by what they speak of: permissions and webhooks depend on no type; the reader's speak of the project, of markers, of types. */
const code = {
  independent: /^CO2[12]/,
  marker: /^CO11/,
  type: /^CO12/,
} as const;

/** What TypeScript says of a decorator that does not fit its member, and of arguments: the types around them are as declared. */
const misfit = /\(TS(12(38|39|40|41|70)|2322|2345|2353|2554|2555|2561|2769|2820)\)$/;

/** What a marker that was not read may have bounded. */
const cost = /rule cost/;

/**
 * Of what the checks say about a model that could not be read whole, the problems that are there whatever the unread parts are: so
 * that all problems of a run are reported together, and none that only follows from another.
 *
 * @param found what the checks of the generator say.
 * @param unread the errors of the reader, for which parts are missing: a member whose type cannot be read is not in the model, nor is a
 *   marker that is misspelt.
 */
export function certainProblems(found: readonly Diagnostic[], unread: readonly Diagnostic[]): Diagnostic[] {
  const isMarker = (error: Diagnostic): boolean => code.marker.test(error.code) || misfit.test(error.message);
  const markersOnly = unread.every(isMarker);
  const placed = unread.every((error) => isMarker(error) || code.type.test(error.code));
  return found.filter((problem) => {
    if (code.independent.test(problem.code)) return true;
    if (!placed || cost.test(problem.message)) return false;
    const path = problem.path ?? '';
    return path === '' ? markersOnly : !unread.some((error) => isWithin(error, problem, path));
  });
}

/** Whether an error lies at the place of a problem or inside of it. */
function isWithin(error: Diagnostic, problem: Diagnostic, path: string): boolean {
  if (error.path === undefined || error.path === '') {
    return error.position?.file === problem.position?.file && error.position?.line === problem.position?.line;
  }
  return error.path === path || (error.path.startsWith(path) && /^[.[]/.test(error.path.slice(path.length)));
}
