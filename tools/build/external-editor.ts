// Stands in the bundle for @inquirer/external-editor, which Yeoman's prompts bring along to open an editor, with the encodings of half the
// world: 200 kB of a download. We ask for names and choices only, and without Yeoman.

export function editAsync(): never {
  throw new Error('external editors are not part of this bundle');
}
