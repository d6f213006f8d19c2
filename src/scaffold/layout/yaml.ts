import { isScalar, parseAllDocuments, visit } from 'yaml';

/** How deep a YAML text indents. */
function indentOf(text: string): number {
  return /^( +)[^\s#]/m.exec(text)?.[1]?.length ?? 2;
}

/** What some reader takes for something else than a text, unless it stands in quotes. */
function looksTyped(text: string): boolean {
  return /^(?:|[-+.]*\d.*|[-+]?\.(?:inf|nan)|~|null|true|false|yes|no|on|off|y|n|=|<<)$/i.test(text);
}

/**
 * A YAML text as it would be written anew, with its comments: quotes only where they must be, no line broken. `undefined` for what is no
 * YAML, such as the templates of a chart.
 *
 * @param model a text whose indentation it gets
 */
export function plainYaml(text: string, model = ''): string | undefined {
  // Scalars stay as they are written: 0644 is 420 to some readers and 644 to others.
  const documents = parseAllDocuments(text, { schema: 'failsafe' });
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
  const options = { indent: Math.max(2, indentOf(model)), lineWidth: 0 } as const;
  const texts = documents.map((document) => {
    visit(document, (_key, node) => {
      if (!isScalar(node) || node.type === 'PLAIN' || node.type === 'BLOCK_LITERAL') return;
      if (looksTyped(String(node.value))) node.type = 'QUOTE_DOUBLE';
      else delete node.type;
    });
    return document.toString({ ...options, directives: false });
  });
  return texts.join('---\n');
}
