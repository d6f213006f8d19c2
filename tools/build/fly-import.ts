// Stands in the bundle for the package fly-import, with which yeoman-environment installs generators from npm while it
// runs: our generators are in the bundle. (The package has no licence, and brings npm's whole installer along.)

export class FlyRepository {
  readonly repositoryPath = '';
}

export async function flyImport(specifier: string): Promise<never> {
  throw new Error(`generators are not installed on demand (${specifier})`);
}
