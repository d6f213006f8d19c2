import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import { isCarrier } from './api.ts';

/** Whether calls of the client may go through a value of a type: the client itself, what has it, or a method taken from it. */
export function carriesCalls(project: SourceProject, type: ts.Type): boolean {
  if (type.isUnionOrIntersection()) return type.types.some((part) => carriesCalls(project, part));
  const declaration = type.symbol?.declarations?.[0];
  if (declaration === undefined) return false;
  const found = project.runtimeDeclaration(declaration);
  return (found !== undefined && isCarrier(found.name)) || isMethodOfCarrier(project, type);
}

/** The type of a method of the client, taken from it. */
export function isMethodOfCarrier(project: SourceProject, type: ts.Type): boolean {
  const declaration = type.symbol?.declarations?.[0];
  if (declaration === undefined) return false;
  if (!ts.isMethodSignature(declaration) && !ts.isMethodDeclaration(declaration)) return false;
  const owner = project.runtimeDeclaration(declaration.parent);
  return owner !== undefined && isCarrier(owner.name);
}
