/** What an API server answers to `Accept: application/json;as=Table`. */
export interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows?: readonly { readonly cells: readonly unknown[] }[] | null;
}

/** A Table as `kubectl get` prints it: columns of priority 0, titles in capitals, three spaces between. */
export function table({ columnDefinitions, rows }: Table): string {
  const columns = columnDefinitions.flatMap(({ name, priority }, index) => (priority === 0 ? [{ name, index }] : []));
  const lines = [
    columns.map(({ name }) => name.toUpperCase()),
    ...(rows ?? []).map(({ cells }) => columns.map(({ index }) => cellText(cells[index]))),
  ];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
