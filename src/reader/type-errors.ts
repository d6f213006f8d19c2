import { ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';
import { resolveDecorator } from './decorators.ts';
import { runtimePackage } from './opened-program.ts';
import type { Problems } from './problems.ts';
import type { SourceProject } from './source-project.ts';

/**
 * Types with errors may mean anything: they are not read on a guess. Other files (reconcilers) may import what is yet to be
 * generated; of them only the syntax counts, and that the markers are found.
 */
export function reportTypeErrors(
  project: SourceProject,
  files: readonly ts.SourceFile[],
  types: ReadonlySet<ts.SourceFile>,
  problems: Problems,
): void {
  for (const file of files) {
    const counted = types.has(file)
      ? project.program.getSemanticDiagnostics(file)
      : missesRuntime(file, project)
        ? project.program.getSemanticDiagnostics(file).filter(isMissingRuntime)
        : [];
    for (const diagnostic of [...project.program.getSyntacticDiagnostics(file), ...counted]) {
      const { category, code, messageText, start } = diagnostic;
      if (category !== ts.DiagnosticCategory.Error) continue;
      const decorator = decoratorAt(file, start ?? 0);
      // What the compiler has to say about a marker follows from what was said of it.
      if (decorator !== undefined && problems.hasErrorBetween(...spanOf(decorator, file, project))) continue;
      const position = project.position(file, start ?? 0);
      if (decorator !== undefined && decoratorErrors.has(code) && reportMisfit(decorator, code, project, problems))
        continue;
      const remedy = remedyFor(diagnostic);
      problems.report('typescript', { text: firstLine(messageText), number: String(code) }, { position, remedy });
    }
  }
}

/** Whether a module of operator-runtime may not be found: to check a whole file for that would take most of a run. */
function missesRuntime(file: ts.SourceFile, project: SourceProject): boolean {
  if (!file.text.includes(runtimePackage)) return false;
  return ts.preProcessFile(file.text, true, false).importedFiles.some(({ fileName, pos }) => {
    if (fileName !== runtimePackage && !fileName.startsWith(`${runtimePackage}/`)) return false;
    const specifier = stringAt(file, pos);
    return specifier === undefined || project.checker.getSymbolAtLocation(specifier) === undefined;
  });
}

function stringAt(file: ts.SourceFile, offset: number): ts.StringLiteral | undefined {
  const find = (node: ts.Node): ts.StringLiteral | undefined => {
    if (offset < node.pos || offset >= node.end) return undefined;
    return ts.isStringLiteral(node) ? node : ts.forEachChild(node, find);
  };
  return find(file);
}

/** "Unable to resolve signature of ... decorator": on classes, parameters, members and methods; and a return type that does not fit. */
const decoratorErrors: ReadonlySet<number> = new Set([1238, 1239, 1240, 1241, 1270]);

function decoratorAt(file: ts.SourceFile, offset: number): ts.Decorator | undefined {
  const find = (node: ts.Node): ts.Decorator | undefined => {
    if (offset < node.pos || offset >= node.end) return undefined;
    return ts.isDecorator(node) ? node : ts.forEachChild(node, find);
  };
  return find(file);
}

function spanOf(node: ts.Node, file: ts.SourceFile, project: SourceProject): [SourcePosition, SourcePosition] {
  return [project.positionOf(node), project.position(file, node.end)];
}

/** What the compiler says of a marker whose signature does not fit, in the terms of markers; false where it is no marker on a member. */
function reportMisfit(decorator: ts.Decorator, code: number, project: SourceProject, problems: Problems): boolean {
  const member = decorator.parent;
  const marker = resolveDecorator(decorator.expression, project);
  if (marker === undefined || !ts.isPropertyDeclaration(member) || member.type === undefined) return false;
  const values = {
    text: shorten(decorator.expression.getText()),
    type: shorten(member.type.getText()),
    number: String(code),
  };
  const takesValue = marker.name === 'Default' || marker.name === 'Example';
  const remedy = takesValue ? "use a value of the member's type" : misfitRemedy;
  problems.report('decoratorFit', values, { position: project.positionOf(decorator), remedy });
  return true;
}

const misfitRemedy = 'the decorator or one of its arguments does not fit what it stands on';

/** What TypeScript has to say without its reasons, which can be pages. */
function firstLine(message: string | ts.DiagnosticMessageChain): string {
  const [line = ''] = (typeof message === 'string' ? message : message.messageText).split('\n');
  return (line.length > 200 ? `${line.slice(0, 197)}...` : line).replace(/\.$/, '');
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

function remedyFor(diagnostic: ts.Diagnostic): string | undefined {
  if (isMissingRuntime(diagnostic)) return 'npm install operator-runtime';
  return decoratorErrors.has(diagnostic.code) ? misfitRemedy : undefined;
}

const cannotFindModule = 2307;

function isMissingRuntime({ code, messageText }: ts.Diagnostic): boolean {
  return code === cannotFindModule && ts.flattenDiagnosticMessageText(messageText, ' ').includes("'operator-runtime");
}
