import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Handlebars from 'handlebars';

/** One file of a plan: `path` is relative to the project's root and written with `/`. */
export interface PlannedFile {
  readonly path: string;
  readonly content: string;
}

/** What templates can say: text, yes or no, and lists of such objects. */
export interface TemplateData {
  readonly [name: string]: string | boolean | readonly TemplateData[];
}

/**
 * Renders one template. A name that the data lacks is an error (strict), nothing is escaped since no template is HTML, and no helper
 * but Handlebars' own exists.
 */
export function render(template: string, data: TemplateData): string {
  return Handlebars.compile<TemplateData>(template, { strict: true, noEscape: true, knownHelpersOnly: true })(data);
}

/** The folder `templates/` of the package, from its sources as well as from its bundle. */
export function templatesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'templates', 'project'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the package create-operator is not whole: its folder templates is missing');
    folder = parent;
  }
  return join(folder, 'templates');
}

/**
 * All files of one set of templates; none where the set has no folder. What ends in `.hbs` is rendered and loses that ending, and gives no
 * file when nothing but white space comes out; all else is copied byte for byte, so that workflows and charts, whose own braces
 * Handlebars would take, need no quoting.
 */
export function renderSet(name: string, data: TemplateData): PlannedFile[] {
  const root = join(templatesFolder(), name);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      if (!path.endsWith('.hbs')) return [{ path, content: text }];
      const content = render(text, data);
      return content.trim() === '' ? [] : [{ path: path.slice(0, -4), content }];
    });
}

/**
 * One template of a set, rendered. Where the template imports something under a `name` that the kind has, too, the import gets another:
 * `import { Condition as Condition_ }`.
 */
export function renderFile(file: string, data: TemplateData, name?: string): string {
  const template = readFileSync(join(templatesFolder(), file), 'utf8');
  return render(name === undefined ? template : withoutImported(template, name), data);
}

function withoutImported(template: string, name: string): string {
  // A name that begins or ends with {{kind}} is another one.
  const imports = /^import (?:type )?\{[^}]*\} from [^;]*;$/gm;
  const word = new RegExp(`(?<![\\w$'}])${name.replaceAll('$', '\\$')}(?![\\w$'{])`, 'g');
  if (!(template.match(imports) ?? []).some((line) => word.test(line))) return template;
  const parts = template.split(/^(import (?:type )?\{[^}]*\} from [^;]*;)$/m);
  return parts.map((part, index) => part.replace(word, index % 2 === 1 ? `${name} as ${name}_` : `${name}_`)).join('');
}

const namesOfSets = new Map<string, ReadonlySet<string>>();

/** All names in the code of the TypeScript templates of a set. */
export function namesInTemplates(set: string): ReadonlySet<string> {
  const known = namesOfSets.get(set);
  if (known !== undefined) return known;
  const root = join(templatesFolder(), set);
  const texts = readdirSync(root)
    .filter((file) => file.endsWith('.ts.hbs'))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const code = texts.join('\n').replaceAll(/\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'|\{\{[^}]*\}\}/g, ' ');
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  namesOfSets.set(set, names);
  return names;
}
