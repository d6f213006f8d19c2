/** A kind that `create-operator api` has scaffolded. */
export interface ProjectResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly controller: boolean;
}

/** `operator.json`: what create-operator remembers of a project. Members that it does not know are kept. */
export interface OperatorFile {
  readonly projectName: string;
  readonly resources: readonly ProjectResource[];
  readonly [member: string]: unknown;
}

/** An `operator.json` that makes no sense; the message is one line. */
export class OperatorFileError extends Error {
  override readonly name = 'OperatorFileError';
}

/** Reads the text of an `operator.json`. Throws an `OperatorFileError`. */
export function parseOperatorFile(text: string): OperatorFile {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new OperatorFileError(`operator.json: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OperatorFileError('operator.json: is no JSON object');
  }
  const file = value as Readonly<Record<string, unknown>>;
  const { projectName } = file;
  if (typeof projectName !== 'string' || projectName === '') {
    throw new OperatorFileError('operator.json: "projectName" is missing; write "projectName": "my-operator"');
  }
  const resources = file['resources'] ?? [];
  if (!Array.isArray(resources)) throw new OperatorFileError('operator.json: "resources" is no list');
  return { ...file, projectName, resources: resources.map(parseResource) };
}

function parseResource(value: unknown, index: number): ProjectResource {
  const where = `operator.json: resources[${index}]`;
  if (typeof value !== 'object' || value === null) throw new OperatorFileError(`${where} is no object`);
  const resource = value as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const member = resource[name];
    if (typeof member !== 'string' || member === '') throw new OperatorFileError(`${where}: "${name}" is missing`);
    return member;
  };
  const scope = resource['scope'] ?? 'Namespaced';
  if (scope !== 'Namespaced' && scope !== 'Cluster') {
    throw new OperatorFileError(`${where}: "scope" is neither "Namespaced" nor "Cluster"`);
  }
  return {
    ...resource,
    group: text('group'),
    version: text('version'),
    kind: text('kind'),
    plural: text('plural'),
    scope,
    controller: resource['controller'] !== false,
  };
}

export function formatOperatorFile(file: OperatorFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
