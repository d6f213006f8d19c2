import { mergeDeclarations, type FunctionDeclaration, type Library } from './declarations.ts';
import { MacroTable } from './macros.ts';
import type { CelType } from './types.ts';

/** What an expression may use: functions, macros and names of types. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: MacroTable;
  readonly types: ReadonlyMap<string, CelType>;
}

/** Puts together the libraries that a minor version of Kubernetes 1.x has. */
export function createEnvironment(libraries: readonly Library[], minor: number): Environment {
  const functions = new Map<string, FunctionDeclaration>();
  const macros = new MacroTable();
  const types = new Map<string, CelType>();
  for (const library of libraries) {
    if (library.since > minor || (library.until !== undefined && library.until <= minor)) continue;
    for (const declaration of library.functions) {
      functions.set(declaration.name, mergeDeclarations(functions.get(declaration.name), declaration));
    }
    for (const type of library.types ?? []) types.set(type.name, type);
    library.addMacros?.(macros);
  }
  return { functions, macros, types };
}
