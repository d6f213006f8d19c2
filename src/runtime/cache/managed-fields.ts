import { HeadScanner } from './head-scanner.ts';

const scanner = new HeadScanner();

/**
 * The text of an object, or of a watch event around one, without `metadata.managedFields`: often a third of it, which need neither be
 * decoded nor parsed in order to be dropped. A field of the same name elsewhere is left alone, and so is everything that is not written
 * as the API server writes it (without spaces): the text need not be valid.
 *
 * `parents` is how many objects stand around the metadata: 1 for an object, 2 for a watch event.
 */
export function decodeWithoutManagedFields(bytes: Uint8Array, parents: 1 | 2): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!scanner.scan(buffer, 0, buffer.length, parents) || scanner.cutEnd === 0) return buffer.toString('utf8');
  return buffer.toString('utf8', 0, scanner.cutStart) + buffer.toString('utf8', scanner.cutEnd);
}
