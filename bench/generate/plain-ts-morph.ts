// The baseline: what a generator without care for speed does, and no more. Loads a project by its tsconfig and asks the
// checker for the type of every member of every class, interface and type alias in it.
// usage: node plain-ts-morph.ts TSCONFIG
import { Project, type Type } from 'ts-morph';

const [tsConfigFilePath] = process.argv.slice(2);
if (tsConfigFilePath === undefined) throw new Error('usage: node plain-ts-morph.ts TSCONFIG');

const project = new Project({ tsConfigFilePath });
let members = 0;
for (const file of project.getSourceFiles()) {
  const declarations = [...file.getClasses(), ...file.getInterfaces(), ...file.getTypeAliases()];
  for (const declaration of declarations) {
    const type: Type = declaration.getType();
    for (const property of type.getProperties()) {
      members += property.getTypeAtLocation(declaration).getText().length > 0 ? 1 : 0;
    }
  }
}
if (members === 0) throw new Error(`${tsConfigFilePath} has no types`);
