import { ts } from 'ts-morph';

/** Where the comments in front of a declaration and between its modifiers start and end, in no order. */
export function commentRanges(declaration: ts.Node): ts.CommentRange[] {
  const { text } = declaration.getSourceFile();
  const starts = new Set<number>([declaration.getFullStart()]);
  if (ts.canHaveModifiers(declaration) || ts.canHaveDecorators(declaration)) {
    const { modifiers, name } = declaration as ts.ClassDeclaration;
    modifiers?.forEach((modifier) => starts.add(modifier.getFullStart()));
    if (name !== undefined && (modifiers?.length ?? 0) > 0) starts.add(modifiers?.end ?? name.getFullStart());
  }
  return [...starts].flatMap((start) => {
    const before = ts.getLeadingCommentRanges(text, start) ?? [];
    // What TypeScript takes as trailing the code before, though the declaration follows on the same line, or is the first of a body.
    const isFirst = text[start - 1] === '{';
    const beside = (ts.getTrailingCommentRanges(text, start) ?? []).filter(
      ({ end }) => isFirst || !endsLine(text, end),
    );
    return [...beside, ...before];
  });
}

/** Whether nothing follows on the line but blanks and the end of the body. */
export function endsLine(text: string, offset: number): boolean {
  return /^[ \t]*(\r?\n|$|\})/.test(text.slice(offset, offset + 200));
}
