import {
  clone,
  equal,
  isArray,
  isObject,
  member,
  text,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';

/** An operation that cannot be done on this document. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** A strategic merge patch whose directives have not the form that they must have. */
export class PatchFormError extends PatchError {}

/** A `test` operation that found something else: the document stays as it is. */
export class PatchTestError extends PatchError {}

/** What an operation changes something in is not there. */
class MissingParentError extends PatchError {}

/** A patch that is none. */
export class PatchSyntaxError extends Error {
  override readonly name = 'PatchSyntaxError';
}

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** Checks the form of an RFC 6902 patch. */
export function parseJsonPatch(patch: Json): readonly JsonObject[] {
  if (!isArray(patch))
    throw new PatchSyntaxError('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  return patch.map((operation) => {
    if (!isObject(operation))
      throw new PatchSyntaxError('json: cannot unmarshal into Go value of type jsonpatch.Operation');
    return operation;
  });
}

/**
 * Applies an RFC 6902 patch to a copy of the document, with the strictness of the server's library: parents must exist, what is
 * removed or replaced must be there.
 *
 * @throws PatchError
 */
export function applyJsonPatch(document: Json, patch: readonly JsonObject[]): Json {
  let root = clone(document);
  for (const operation of patch) root = applyOperation(root, operation);
  return root;
}

/** Says of a problem in which operation it came up, in the words of the server's library. */
function applyOperation(root: Json, operation: JsonObject): Json {
  const kind = text(operation, 'op');
  const path = text(operation, 'path');
  try {
    return carryOut(root, operation);
  } catch (error) {
    if (!(error instanceof PatchError) || error instanceof PatchTestError) throw error;
    if (error instanceof MissingParentError) {
      const shown = kind === 'add' || kind === 'remove' ? `"${path}"` : path;
      throw new PatchError(`${kind} operation does not apply: doc is missing path: ${shown}: missing value`);
    }
    if (kind === 'add' || kind === 'remove')
      throw new PatchError(`error in ${kind} for path: '${path}': ${error.message}`);
    throw error;
  }
}

function carryOut(root: Json, operation: JsonObject): Json {
  const kind = text(operation, 'op');
  if (!operations.has(kind)) throw new PatchError(`Unexpected kind: ${kind}`);
  if (typeof member(operation, 'path') !== 'string') throw new PatchError('missing path');
  const path = pointer(text(operation, 'path'));
  switch (kind) {
    case 'add':
      return add(root, path, clone(value(operation)));
    case 'remove':
      if (path.length === 0) throw new PatchError('cannot remove the document');
      remove(root, path);
      return root;
    case 'replace':
      if (path.length === 0) return clone(value(operation));
      // A member that is missing is set: only lists know what is not there.
      set(root, path, clone(value(operation)));
      return root;
    case 'move': {
      const from = pointer(text(operation, 'from'));
      const moved = find(root, from);
      remove(root, from);
      return add(root, path, moved);
    }
    case 'copy':
      return add(root, path, clone(find(root, pointer(text(operation, 'from')))));
    default: {
      let found: Json | undefined;
      try {
        found = find(root, path);
      } catch (error) {
        if (!(error instanceof PatchError)) throw error;
      }
      const expected = member(operation, 'value') ?? null;
      // A member that is missing passes for null.
      if (!equal(found ?? null, expected))
        throw new PatchTestError(`testing value ${text(operation, 'path')} failed: test failed`);
      return root;
    }
  }
}

function value(operation: JsonObject): Json {
  const found = member(operation, 'value');
  if (found === undefined) throw new PatchError('missing value');
  return found;
}

function pointer(path: string): readonly string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new PatchError(`invalid path: ${path}`);
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function index(list: readonly Json[], part: string, last: number): number {
  if (!/^-?(0|[1-9]\d*)$/.test(part))
    throw new PatchError(
      `value was not a proper array index: '${part}': strconv.Atoi: parsing "${part}": invalid syntax`,
    );
  const number = Number(part);
  // The library lets negative indexes count from the end.
  const found = number < 0 ? number + list.length : number;
  if (found < 0 || found > last)
    throw new PatchError(`Unable to access invalid index: ${part}: invalid index referenced`);
  return found;
}

function step(container: Json, part: string): Json {
  if (isArray(container)) return container[index(container, part, container.length - 1)] ?? null;
  const found = member(container, part);
  if (found === undefined) throw new PatchError(`missing path: ${part}`);
  return found;
}

function find(root: Json, path: readonly string[]): Json {
  let current = root;
  for (const part of path) current = step(current, part);
  return current;
}

function parentOf(root: Json, path: readonly string[]): { readonly parent: Json; readonly last: string } {
  let parent: Json;
  try {
    parent = find(root, path.slice(0, -1));
  } catch (error) {
    throw error instanceof PatchError ? new MissingParentError(error.message) : error;
  }
  if (!isObject(parent) && !isArray(parent)) throw new MissingParentError(`no container at ${path.join('/')}`);
  return { parent, last: path.at(-1) ?? '' };
}

function add(root: Json, path: readonly string[], added: Json): Json {
  if (path.length === 0) return added;
  const { parent, last } = parentOf(root, path);
  if (isArray(parent)) {
    const list = parent as Json[];
    list.splice(last === '-' ? list.length : index(list, last, list.length), 0, added);
  } else if (isObject(parent)) setMember(parent, last, added);
  return root;
}

/** The document is our own copy: its objects may be changed. */
function setMember(parent: MutableObject, name: string, value: Json): void {
  parent[name] = value;
}

function set(root: Json, path: readonly string[], replaced: Json): void {
  const { parent, last } = parentOf(root, path);
  if (isArray(parent)) (parent as Json[])[index(parent, last, parent.length - 1)] = replaced;
  else if (isObject(parent)) setMember(parent, last, replaced);
}

function remove(root: Json, path: readonly string[]): void {
  const { parent, last } = parentOf(root, path);
  if (isObject(parent) && member(parent, last) === undefined)
    throw new PatchError(`Unable to remove nonexistent key: ${last}: missing value`);
  if (isArray(parent)) (parent as Json[]).splice(index(parent, last, parent.length - 1), 1);
  else delete (parent as MutableObject)[last];
}
