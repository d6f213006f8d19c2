import { compareDiagnostics, type Diagnostic, type SourcePosition } from '../model/index.ts';

/**
 * What the reader has to say: a stable code and a text for each, `{name}` standing for what the place brings along; and what to do about
 * it where the place knows nothing better.
 */
export const problems = {
  noFiles: ['CO1001', 'no source files were found'],
  unreadableFile: ['CO1002', '{file} cannot be read'],
  tsconfig: ['CO1003', '{text}'],
  notStrict: [
    'CO1004',
    'the project is not strict: without strictNullChecks it cannot be known which members are optional',
  ],
  typescript: ['CO1005', '{text} (TS{number})'],
  notLowered: [
    'CO1006',
    'vite and vitest cannot run the decorators of this file: {tsconfig} does not set experimentalDecorators',
  ],

  unknownMarker: ['CO1101', "there is no marker '{name}'"],
  unknownTag: ['CO1103', "'@{name}' is neither a marker nor a standard tag"],
  goMarker: ['CO1104', "'{text}' is a marker of controller-gen, which is not read here"],
  markerPlace: ['CO1105', '{name} cannot stand on {place}'],
  markerTwice: ['CO1106', '{name} stands twice here, and counts once', 'take one of them out'],
  markerArguments: ['CO1107', '{name}: {problem}'],
  markerSyntax: ['CO1108', "the arguments of '@{name}' cannot be read: {problem}"],
  notConstant: [
    'CO1109',
    '{text} is not a constant expression: {problem}',
    'write a literal, or the name of a const that is set to one',
  ],
  requiredTag: [
    'CO1110',
    "'@{name}' means nothing here: a member is optional when it has '?' or 'undefined' in its type, else required",
  ],
  markerFit: [
    'CO1111',
    '{name} cannot apply to {type}',
    'take it out or change the type; what speaks of the items of a list goes into Items, of the values of a map into Values',
  ],
  markersLost: ['CO1112', 'the markers of {alias} cannot be followed through this type'],
  nestedMarker: [
    'CO1113',
    '{name} cannot stand inside {outer}',
    'there stand markers that check a value, such as MinLength(1)',
  ],
  contradiction: ['CO1114', '{problem}', 'change one of the two'],
  enumMember: ['CO1115', '{value} is not a value of {type}', "write values of the member's type"],
  nullableEnum: ['CO1116', 'a value of an enum cannot be null: the API server lets no null through an enum'],
  oneOfMember: ['CO1117', "{name} names '{member}', which {problem}"],
  notOurMarker: ['CO1118', '@{name} needs its arguments in parentheses'],
  decoratorLost: ['CO1119', '{text} is a marker that cannot be read from the source'],
  decoratorFit: ['CO1120', '{text} does not fit a member of type {type} (TS{number})'],

  anyType: ['CO1201', 'the type is any, of which nothing is known'],
  unsupportedType: ['CO1202', '{type} cannot be expressed in a schema'],
  recursiveType: ['CO1203', 'the type is recursive: {chain}'],
  neverType: ['CO1204', 'no value can have this type: {why}', 'change one of the types'],
  libraryType: ['CO1205', '{type} is not a type of JSON'],
  unionType: ['CO1206', 'the union {type} cannot be expressed in a schema'],
  classMember: ['CO1207', '{what} cannot stand in a type of an API'],
  mixedMembers: ['CO1208', 'a type cannot have both named members and an index signature'],
  symbolMember: [
    'CO1209',
    'a member whose name is a symbol has no place in JSON',
    'give the member a text as its name',
  ],
  unknownKubernetesType: ['CO1210', '{name} of operator-runtime/{module} has no schema'],
  numericEnum: ['CO1211', 'the enum {type} has members that are not constant'],
  noTypeAnnotation: ['CO1212', 'the member has no type', 'write its type behind a colon'],
  unionConflict: ['CO1213', "the types of a union disagree about '{member}': {here} and {there} ({places})"],
  branchDefault: [
    'CO1215',
    "'{member}' cannot have a default, as not all types of the union have it: the API server would fill it in for all",
  ],
  dateType: ['CO1216', 'JSON has no Date: the member is a text (date-time), and clients read it as a text'],
  branchRule: ['CO1214', 'a rule cannot stand on one of the types of a union: it would hold for all of them'],

  kindPlace: [
    'CO1301',
    'a kind must be an exported class or interface at the top of its file: {problem}',
    'export it by its own name at the top of its file',
  ],
  kindMember: ['CO1302', "'{name}' comes by itself in every kind"],
  resourceName: ['CO1303', '{what}'],
  duplicateVersion: [
    'CO1304',
    '{kind} has version {version} twice: here and at {other}',
    'give one of them another version',
  ],
  storageVersion: ['CO1305', '{kind} has {count} storage versions and needs one: {list}'],
  servedVersion: ['CO1306', 'no version of {kind} is served', 'take served: false out of one of them'],
  versionsDisagree: [
    'CO1307',
    'the versions of {kind} disagree about {what}: {here} here, {there} at {other}',
    'say the same in all versions',
  ],
  statusMember: ['CO1308', '{name} has the marker StatusSubresource and no member status'],
  statusMarker: ['CO1309', '{name} has a member status and no status subresource'],
  kindMarkerWithoutResource: ['CO1310', '{marker} stands on {name}, which has no marker Resource'],
  duplicateName: [
    'CO1311',
    "{kind} and {otherKind} both have the name '{name}' in {group}: {here} here, {there} at {other}",
  ],
} as const satisfies Record<string, readonly [code: string, text: string, remedy?: string]>;

export type ProblemName = keyof typeof problems;

const warnings: ReadonlySet<ProblemName> = new Set(['statusMarker', 'notLowered', 'dateType']);

export interface ProblemDetails {
  readonly position?: SourcePosition | undefined;
  readonly path?: string | undefined;
  readonly remedy?: string | undefined;
  /** What an error of the compiler brings about: it is left out where the compiler has errors to tell of. */
  readonly followsFromTypescript?: boolean | undefined;
}

/** Collects all problems of a run. A problem that is reached by two ways (a type used twice) is reported once. */
export class Problems {
  readonly #found = new Map<string, Diagnostic>();
  readonly #following = new Set<string>();

  report(name: ProblemName, values: Readonly<Record<string, string>>, details: ProblemDetails): void {
    const [code, text, general]: readonly [code: string, text: string, remedy?: string] = problems[name];
    const { position, path, remedy = general } = details;
    const message = text.replace(/\{(\w+)\}/g, (all: string, key: string) => values[key] ?? all);
    const place = position === undefined ? '' : `${position.file}:${position.line}:${position.column}`;
    const key = `${code} ${place} ${message}`;
    if (this.#found.has(key)) return;
    if (details.followsFromTypescript === true) this.#following.add(key);
    this.#found.set(key, {
      code,
      severity: warnings.has(name) ? 'warning' : 'error',
      message,
      ...(position === undefined ? {} : { position }),
      ...(path === undefined || path === '' ? {} : { path }),
      ...(remedy === undefined ? {} : { remedy }),
    });
  }

  /** Whether one of these problems was found. */
  has(...names: readonly ProblemName[]): boolean {
    const codes = new Set<string>(names.map((name) => problems[name][0]));
    return [...this.#found.values()].some(({ code }) => codes.has(code));
  }

  /** Whether an error was found in these lines and columns, both ends included. */
  hasErrorBetween(start: SourcePosition, end: SourcePosition): boolean {
    return [...this.#found.values()].some(({ severity, position }) => {
      if (severity !== 'error' || position?.file !== start.file) return false;
      return inText(start, position) <= 0 && inText(position, end) <= 0;
    });
  }

  /** Takes over what another collection found. */
  absorb(other: Problems): void {
    for (const [key, diagnostic] of other.#found) {
      if (this.#found.has(key)) continue;
      this.#found.set(key, diagnostic);
      if (other.#following.has(key)) this.#following.add(key);
    }
  }

  get size(): number {
    return this.#found.size;
  }

  get hasErrors(): boolean {
    return [...this.#found.values()].some(({ severity }) => severity === 'error');
  }

  sorted(): Diagnostic[] {
    const explained = this.has('typescript') ? this.#following : new Set();
    return [...this.#found]
      .flatMap(([key, diagnostic]) => (explained.has(key) ? [] : [diagnostic]))
      .sort(compareDiagnostics);
  }
}

function inText(a: SourcePosition, b: SourcePosition): number {
  return a.line - b.line || a.column - b.column;
}
