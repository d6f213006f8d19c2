import { isBuiltin } from 'node:module';
import { ts } from 'ts-morph';
import { runtimePackage } from '../opened-program.ts';
import type { SourceProject } from '../source-project.ts';

/**
 * The files of a lean program in which no value can have a type of operator-runtime, whatever packages say: they import Node's own modules and each other,
 * and nothing else. Of their calls none goes to the API server.
 */
export function inertFiles(project: SourceProject, files: readonly ts.SourceFile[]): ReadonlySet<ts.SourceFile> {
  // Global declarations reach files that import nothing.
  const hasGlobals = project.program.getSourceFiles().some((file) => project.isOwn(file) && declaresGlobals(file));
  if (hasGlobals) return new Set();
  const plain = new Map(files.map((file) => [file, importsNothingElse(project, file)]));
  return new Set(files.filter((file) => project.reachableFrom([file]).every((reached) => plain.get(reached) === true)));
}

function declaresGlobals(file: ts.SourceFile): boolean {
  return !ts.isExternalModule(file) || /\bdeclare\s+(global|module)\b/.test(file.text);
}

function importsNothingElse(project: SourceProject, file: ts.SourceFile): boolean {
  if (file.referencedFiles.length + file.typeReferenceDirectives.length > 0) return false;
  if (/\b(import|require)\s*\(/.test(file.text)) return false;
  const { imports = [] } = file as ts.SourceFile & { readonly imports?: readonly ts.StringLiteralLike[] };
  return imports.every((specifier) => {
    const target = project.checker.getSymbolAtLocation(specifier)?.valueDeclaration?.getSourceFile();
    if (isBuiltin(specifier.text)) return target === undefined;
    return /^\.\.?\//.test(specifier.text) && target !== undefined && project.isOwn(target);
  });
}

/** The names that a file has for markers. */
export function markerNames(file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (statement.moduleSpecifier.text !== `${runtimePackage}/markers` || bindings === undefined) continue;
    if (ts.isNamedImports(bindings)) for (const { name } of bindings.elements) names.add(name.text);
  }
  return names;
}

/** `@Minimum(1)` in a class that stands by itself, where no other name can take the place of the imported one. */
export function isMarker(call: ts.Node, names: ReadonlySet<string>): boolean {
  if (!ts.isCallExpression(call) || !ts.isDecorator(call.parent)) return false;
  if (!ts.isIdentifier(call.expression) || !names.has(call.expression.text)) return false;
  const { parent: owner } = call.parent;
  const declaration = ts.isClassDeclaration(owner) ? owner : owner.parent;
  return ts.isClassDeclaration(declaration) && ts.isSourceFile(declaration.parent);
}
