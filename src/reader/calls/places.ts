import { ts } from 'ts-morph';
import type { MarkerPlace } from '../../model/index.ts';
import type { SourceProject } from '../source-project.ts';

/** The classes of a file that can carry `Rbac` markers, and how one is written there. */
export function markerPlaces(project: SourceProject, file: ts.SourceFile): MarkerPlace[] {
  const classes = file.statements.filter((statement): statement is ts.ClassDeclaration =>
    ts.isClassDeclaration(statement),
  );
  const imports = markerImport(file);
  const hasDecorators = classes.some((each) => (ts.getDecorators(each)?.length ?? 0) > 0);
  const hasTags = classes.some((each) => /^\s*\*?\s*@rbac\b/m.test(docText(each, file).text));
  return classes.flatMap((declaration) => {
    if (declaration.name === undefined) return [];
    const start = declaration.getStart(file, false);
    const comment = docText(declaration, file);
    const decorators = (ts.getDecorators(declaration) ?? []).filter((each) => isRbac(each, imports?.decoratorName));
    const own = decorators.length > 0 ? 'decorator' : /@rbac\b/.test(comment.text) ? 'tag' : undefined;
    const byFile = hasDecorators || imports !== undefined ? 'decorator' : hasTags ? 'tag' : undefined;
    const line = (offset: number): number => file.getLineAndCharacterOfPosition(offset).line + 1;
    return [
      {
        file: project.relativePath(file.fileName),
        className: declaration.name.text,
        firstLine: line(documentedStart(declaration, file)),
        lastLine: line(declaration.end),
        reconciles: declaration.members.some(
          (member) => ts.isMethodDeclaration(member) && member.name.getText(file) === 'reconcile',
        ),
        notation: own ?? byFile,
        decoratorName: imports?.decoratorName,
        decoratorOffset: ownLineEnd(file.text, decorators.at(-1)?.end) ?? start,
        comment: comment.range,
        commentOffset: start,
        importOffset: importOffset(file),
        markerImportOffset: imports?.namesEnd,
      },
    ];
  });
}

function isRbac(decorator: ts.Decorator, name: string | undefined): boolean {
  const { expression } = decorator;
  return ts.isCallExpression(expression) && expression.expression.getText() === (name ?? 'Rbac');
}

/** The beginning of the next line. */
function afterLine(text: string, offset: number | undefined): number | undefined {
  if (offset === undefined) return undefined;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** The beginning of the next line, where nothing else stands on this one. */
function ownLineEnd(text: string, offset: number | undefined): number | undefined {
  const next = afterLine(text, offset);
  return next !== undefined && text.slice(offset, next).trim() === '' ? next : undefined;
}

interface Comment {
  readonly text: string;
  readonly range: { readonly start: number; readonly end: number } | undefined;
}

/** The doc comments before a statement, from the text: the compiler may have been told to leave them out. */
function docComments(statement: ts.Statement, file: ts.SourceFile): ts.CommentRange[] {
  const ranges = ts.getLeadingCommentRanges(file.text, statement.getFullStart()) ?? [];
  return ranges.filter(({ pos }) => file.text.startsWith('/**', pos));
}

/** Where a statement begins, its doc comments included. */
function documentedStart(statement: ts.Statement, file: ts.SourceFile): number {
  return docComments(statement, file)[0]?.pos ?? statement.getStart(file, false);
}

/** The last doc comment before a class. */
function docText(declaration: ts.ClassDeclaration, file: ts.SourceFile): Comment {
  const last = docComments(declaration, file).at(-1);
  if (last === undefined) return { text: '', range: undefined };
  return { text: file.text.slice(last.pos, last.end), range: { start: last.pos, end: last.end } };
}

interface MarkerImport {
  readonly decoratorName: string | undefined;
  readonly namesEnd: number | undefined;
}

/** The import of `operator-runtime/markers` of a file. */
function markerImport(file: ts.SourceFile): MarkerImport | undefined {
  let found: MarkerImport | undefined;
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (statement.moduleSpecifier.text !== 'operator-runtime/markers') continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || statement.importClause?.isTypeOnly === true) continue;
    if (ts.isNamespaceImport(bindings)) {
      found = { decoratorName: `${bindings.name.text}.Rbac`, namesEnd: undefined };
    } else {
      const rbac = bindings.elements.find((each) => (each.propertyName ?? each.name).text === 'Rbac');
      found = { decoratorName: rbac?.name.text, namesEnd: bindings.elements.at(-1)?.end };
    }
    if (found.decoratorName !== undefined) return found;
  }
  return found;
}

/** Behind the last import, else at the file's first statement. */
function importOffset(file: ts.SourceFile): number {
  const imports = file.statements.filter((statement) => ts.isImportDeclaration(statement));
  const last = imports.at(-1);
  if (last !== undefined) return afterLine(file.text, last.end) ?? file.text.length;
  const [first] = file.statements;
  return first === undefined ? 0 : documentedStart(first, file);
}
