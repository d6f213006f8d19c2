const goMarker =
  /^\s*\+(?:kubebuilder:|k8s:|(?:optional|required|nullable|default|listType|listMapKey|mapType|structType|groupName|versionName)\b)/;

/**
 * Whether a description comes back as it was when it is written as a doc comment: what the reader of comments leaves out (blank
 * ends, lines that begin with `TODO`, what follows `---`) or takes for something else (tags, markers of Go) is not in it.
 */
export function isWritable(description: string): boolean {
  if (description.trim() === '' || /[\r\u2028\u2029]|\*\\\//.test(description)) return false;
  const lines = description.split('\n');
  if (lines[0]?.trim() === '' || lines.at(-1)?.trim() === '') return false;
  let fence: string | undefined;
  for (const line of lines) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (line !== line.trimEnd() || goMarker.test(line)) return false;
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    else if (fence === undefined && /^\s*(---|TODO|@[A-Za-z])/.test(line)) return false;
  }
  return true;
}

/** A description without the blanks at the ends of its lines and the empty lines at its own ends, which no comment keeps. */
export function trimmedDescription(description: string): string {
  const lines = description.split('\n').map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  return lines.join('\n');
}
