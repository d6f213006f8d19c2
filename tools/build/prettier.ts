// Stands in the bundle for prettier, which json-schema-to-typescript imports and calls only where it is to format what it
// prints: we lay that out ourselves. (Prettier is 12 MB.)

export async function format(): Promise<never> {
  throw new Error('prettier is not part of this bundle');
}
