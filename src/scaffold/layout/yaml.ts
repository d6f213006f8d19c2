import { isScalar, parseAllDocuments, visit } from 'yaml';

/** How deep a YAML text indents. */
function indentOf(text: string): number {
  return /^( +)[^\s#]/m.exec(text)?.[1]?.length ?? 2;
}

/**
 * A YAML text as it would be written anew, with its comments: quotes only where they must be, no line broken. `undefined` for what is no
 * YAML, such as the templates of a chart.
 *
 * @param model a text whose indentation it gets
 */
export function plainYaml(text: string, model = ''): string | undefined {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
  const options = { indent: Math.max(2, indentOf(model)), lineWidth: 0 } as const;
  const texts = documents.map((document) => {
    visit(document, (_key, node) => {
      if (!isScalar(node) || node.type === 'BLOCK_LITERAL') return;
      delete node.type;
      delete node.format;
    });
    return document.toString({ ...options, directives: false });
  });
  return texts.join('---\n');
}
