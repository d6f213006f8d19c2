import { forbiddenField, invalidValue, notSupported, quote, required, type FieldError } from '../../field-error.ts';
import { at, isObject, numeric, object, text, type Json } from '../../json.ts';
import { dns1123Label, dns1123Subdomain, type NameRule } from '../../objects/names.ts';
import { qualifiedNameProblems, validateLabels } from '../../objects/metadata.ts';
import { labelSelectorErrors } from '../match-validation.ts';
import { parseIp } from '../../../schema/ip.ts';
import { Quantity, QuantityError } from '../../../schema/quantity.ts';

/** Checks of single fields, which the rules of all kinds share. Paths name the parent; what is not there is not checked. */

const portRange = 'must be between 1 and 65535, inclusive';

/** Numbers that must not be below 0. */
export function nonNegative(owner: Json | undefined, path: string, ...names: readonly string[]): FieldError[] {
  return names.flatMap((name) => {
    const value = numeric(at(owner, name));
    return value !== undefined && value < 0
      ? [invalidValue(`${path}.${name}`, value, 'must be greater than or equal to 0')]
      : [];
  });
}

/** A text that must be one of some; one that is not there is not checked. */
export function oneOf(
  owner: Json | undefined,
  path: string,
  name: string,
  values: readonly string[],
  place = `${path}.${name}`,
): FieldError[] {
  const value = at(owner, name);
  return typeof value !== 'string' || values.includes(value) ? [] : [notSupported(place, value, values)];
}

/** A text that must not be missing or empty. */
export function needed(owner: Json | undefined, path: string, ...names: readonly string[]): FieldError[] {
  return names.flatMap((name) => (text(owner, name) === '' ? [required(`${path}.${name}`)] : []));
}

export function nameErrors(rule: NameRule, value: string, place: string): FieldError[] {
  return rule(value, false).map((problem) => invalidValue(place, value, problem));
}

/** A name that may be absent. */
export function optionalName(rule: NameRule, owner: Json | undefined, path: string, name: string): FieldError[] {
  const value = text(owner, name);
  return value === '' ? [] : nameErrors(rule, value, `${path}.${name}`);
}

/** A name that must be there. */
export function neededName(rule: NameRule, owner: Json | undefined, path: string, name: string): FieldError[] {
  const value = text(owner, name);
  return value === '' ? [required(`${path}.${name}`)] : nameErrors(rule, value, `${path}.${name}`);
}

export const label: NameRule = dns1123Label;
export const subdomain: NameRule = dns1123Subdomain;

export function qualifiedNameErrors(value: string, place: string): FieldError[] {
  return qualifiedNameProblems(value).map((problem) => invalidValue(place, value, problem));
}

export function portNumber(value: number, place: string): FieldError[] {
  return value < 1 || value > 65_535 ? [invalidValue(place, value, portRange)] : [];
}

/** Names of ports, as IANA has them. */
export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** A port by number or by name. */
export function portErrors(value: Json | undefined, place: string): FieldError[] {
  const number = numeric(value);
  if (number !== undefined) return portNumber(number, place);
  const name = typeof value === 'string' ? value : '';
  return portNameProblems(name).map((problem) => invalidValue(place, name, problem));
}

/** A number, or a percentage of up to 100. */
export function numberOrPercent(owner: Json | undefined, path: string, name: string, cap = true): FieldError[] {
  const value = at(owner, name);
  const place = `${path}.${name}`;
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') {
    if (!/^\d+%$/.test(value)) {
      return [
        invalidValue(
          place,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      ];
    }
    return cap && Number(value.slice(0, -1)) > 100 ? [invalidValue(place, value, 'must not be greater than 100%')] : [];
  }
  return nonNegative(owner, path, name);
}

/** Whether a number or percentage comes to nothing. */
export function isNothing(value: Json | undefined): boolean {
  // A text that is neither percentage nor number counts as none.
  return numeric(value) === 0 || (typeof value === 'string' && !/^(0*[1-9]\d*%|[+-]?0*[1-9]\d*)$/.test(value));
}

export function addressErrors(value: string, place: string): FieldError[] {
  return parseIp(value, { sloppy: true }) === undefined
    ? [invalidValue(place, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    : [];
}

/** Address and length of a block of addresses; nothing when it is none. */
export function parseBlock(value: string): { readonly bytes: readonly number[]; readonly bits: number } | undefined {
  const [address = '', length = '', ...rest] = value.split('/');
  const bytes = parseIp(address, { sloppy: true });
  if (bytes === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const bits = Number(length);
  return bits > (address.includes(':') ? 128 : 32) ? undefined : { bytes: [...bytes], bits };
}

export function blockErrors(value: string, place: string): FieldError[] {
  return parseBlock(value) === undefined
    ? [invalidValue(place, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]
    : [];
}

/** A quantity that is there and can be read. */
export function quantityOf(value: Json | undefined): Quantity | undefined {
  const written = typeof value === 'string' ? value : numeric(value)?.toString();
  if (written === undefined) return undefined;
  try {
    return Quantity.parse(written);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** The keys of ConfigMaps and Secrets. */
export function keyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** Labels as they stand where no metadata is: all errors name the map. */
export function labelsErrors(owner: Json | undefined, path: string, name: string): FieldError[] {
  return validateLabels(object(owner, name), `${path}.${name}`);
}

/** A selector of labels; what is not there is not checked. */
export function selectorErrors(owner: Json | undefined, path: string, name: string): FieldError[] {
  const selector = at(owner, name);
  return isObject(selector) ? labelSelectorErrors(selector, `${path}.${name}`) : [];
}

/** Rules of a path inside of a volume. */
export function localPathErrors(value: string, place: string): FieldError[] {
  if (value.startsWith('/')) return [invalidValue(place, value, 'must be a relative path')];
  return backStepErrors(value, place);
}

export function backStepErrors(value: string, place: string): FieldError[] {
  return value.split('/').includes('..') ? [invalidValue(place, value, "must not contain '..'")] : [];
}

/**
 * Exactly one of the members must be there: none is an error at the owner, each further one is forbidden.
 *
 * @param detail what is wrong with none
 * @param further what is wrong with one too many
 */
export function exactlyOne(
  owner: Json | undefined,
  path: string,
  names: readonly string[],
  detail: string,
  further: string,
): FieldError[] {
  const present = names.filter((name) => isObject(at(owner, name)));
  if (present.length === 0) return [required(path, detail)];
  return present.slice(1).map((name) => forbiddenField(`${path}.${name}`, further));
}

/** An error that shows a value in the form of a Go struct. */
export function invalidStruct(
  place: string,
  members: readonly (readonly [string, Json | undefined])[],
  detail: string,
): FieldError {
  return { type: 'FieldValueInvalid', field: place, message: `Invalid value: ${goStruct(members)}: ${detail}` };
}

/** A Go struct in the order of its fields, as messages print it. */
export function goStruct(members: readonly (readonly [string, Json | undefined])[]): string {
  const print = (value: Json | undefined): string =>
    value === undefined ? 'null' : isObject(value) ? JSON.stringify(value) : JSON.stringify(plainForm(value));
  return `{${members.map(([name, value]) => `${quote(name)}:${print(value)}`).join(',')}}`;
}

function plainForm(value: Json): unknown {
  return numeric(value) ?? value;
}
