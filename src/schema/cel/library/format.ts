import { matchesFormat } from '../../formats.ts';
import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { ArrayList } from '../lists.ts';
import { Optional, optionalNone } from '../optional.ts';
import { formatType, listOf, optionalOf, stringType } from '../types.ts';
import { CelObject, noSuchOverload, type Value } from '../values.ts';
import { dns1035Label, dns1123Label, dns1123Subdomain, labelValue, maskTrailingDash, qualifiedName } from './names.ts';
import { parseUrl, UrlError } from './url-parser.ts';

/** A format that texts are validated against. */
export class NamedFormat extends CelObject {
  override readonly type = formatType;
  readonly name: string;
  /** The length that its pattern counts with in costs. */
  readonly patternSize: number;
  /** What is wrong with a text. */
  readonly validate: (text: string) => readonly string[];

  constructor(name: string, patternSize: number, validate: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.validate = validate;
  }

  override equal(other: Value): Value {
    return other instanceof NamedFormat ? this.name === other.name : noSuchOverload(other);
  }
}

function validateUri(text: string): string[] {
  try {
    parseUrl(text, true);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

function ofFormat(name: string, problem: string) {
  return (text: string): string[] => (matchesFormat(name, text) ? [] : [problem]);
}

const uuidPatternSize = 70;
const dateTimePatternSize = 71;

const formats = new Map<string, NamedFormat>([
  ['dns1123Label', new NamedFormat('DNS1123Label', 30, dns1123Label)],
  ['dns1123Subdomain', new NamedFormat('DNS1123Subdomain', 60, dns1123Subdomain)],
  ['dns1035Label', new NamedFormat('DNS1035Label', 30, dns1035Label)],
  ['qualifiedName', new NamedFormat('QualifiedName', 60, qualifiedName)],
  ['dns1123LabelPrefix', new NamedFormat('DNS1123LabelPrefix', 30, (text) => dns1123Label(maskTrailingDash(text)))],
  [
    'dns1123SubdomainPrefix',
    new NamedFormat('DNS1123SubdomainPrefix', 60, (text) => dns1123Subdomain(maskTrailingDash(text))),
  ],
  ['dns1035LabelPrefix', new NamedFormat('DNS1035LabelPrefix', 30, (text) => dns1035Label(maskTrailingDash(text)))],
  ['labelValue', new NamedFormat('LabelValue', 40, labelValue)],
  ['uri', new NamedFormat('URI', 1103, validateUri)],
  ['uuid', new NamedFormat('uuid', uuidPatternSize, ofFormat('uuid', 'does not match the UUID format'))],
  ['byte', new NamedFormat('byte', 84, ofFormat('byte', 'invalid base64'))],
  ['date', new NamedFormat('date', dateTimePatternSize, ofFormat('date', 'invalid date'))],
  ['datetime', new NamedFormat('datetime', dateTimePatternSize, ofFormat('datetime', 'invalid datetime'))],
]);

function named(name: Value): Value {
  if (typeof name !== 'string') return noSuchOverload(name);
  const format = formats.get(name);
  return format === undefined ? optionalNone : new Optional(format);
}

function validate(format: Value, text: Value): Value {
  if (!(format instanceof NamedFormat)) return noSuchOverload(format);
  if (typeof text !== 'string') return noSuchOverload(text);
  const problems = format.validate(text);
  return problems.length === 0 ? optionalNone : new Optional(new ArrayList(problems));
}

/** Named formats. */
export const formatLibrary: Library = {
  since: 31,
  functions: [
    declare(
      'validate',
      member('format-validate', [formatType, stringType], optionalOf(listOf(stringType)), (args) =>
        validate(argument(args, 0), argument(args, 1)),
      ),
    ),
    declare(
      'format.named',
      overload('format-named', [stringType], optionalOf(formatType), (args) => named(argument(args, 0))),
    ),
    ...Array.from(formats, ([name, format]) =>
      declare(
        `format.${name}`,
        overload(`format.${name}`, [], formatType, () => format),
      ),
    ),
  ],
};
