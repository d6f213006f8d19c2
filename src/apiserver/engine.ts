import type { CompiledRules, CompileOptions, DefinitionResult } from '../schema/cel/index.ts';
import type { CompiledSchema } from '../schema/compiled-schema.ts';
import type { validateDefinition } from '../schema/definition-validation.ts';
import type { JsonObject } from './json.ts';

/** The parts that take longest to load: schemas, CEL and YAML. The server is ready before they are. */
export interface Engine {
  readonly compileSchema: (schema: JsonObject) => CompiledSchema;
  readonly compileRules: (schema: JsonObject, options?: CompileOptions) => CompiledRules;
  readonly checkRules: (schema: JsonObject, options: { readonly path: string }) => DefinitionResult;
  readonly validateDefinition: typeof validateDefinition;
  readonly cel: typeof import('../schema/cel/index.ts');
  readonly yaml: typeof import('yaml');
}

let loaded: Engine | undefined;
let loading: Promise<Engine> | undefined;

/** Loads the engine, once for all servers of the process. */
export function loadEngine(): Promise<Engine> {
  loading ??= (async () => {
    const [cel, schema, definition, yaml] = await Promise.all([
      import('../schema/cel/index.ts'),
      import('../schema/compiled-schema.ts'),
      import('../schema/definition-validation.ts'),
      import('yaml'),
    ]);
    loaded = {
      compileSchema: schema.compileSchema,
      compileRules: cel.compileRules,
      checkRules: cel.checkRules,
      validateDefinition: definition.validateDefinition,
      cel,
      yaml,
    };
    return loaded;
  })();
  return loading;
}

/** The engine, for code that runs only after it was loaded: every request about resources waits for that. */
export function engine(): Engine {
  if (loaded === undefined) throw new Error('the engine is not loaded yet');
  return loaded;
}
