import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { quoteText } from '../print.ts';
import { utf8Length } from '../source.ts';
import { boolType, intType, semverType, stringType } from '../types.ts';
import { CelError, CelObject, noSuchOverload, type Value } from '../values.ts';

/** A semantic version. Build metadata does not take part in comparisons. */
export class SemanticVersion extends CelObject {
  override readonly type = semverType;
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly (bigint | string)[];

  constructor(major: bigint, minor: bigint, patch: bigint, prerelease: readonly (bigint | string)[]) {
    super();
    this.major = major;
    this.minor = minor;
    this.patch = patch;
    this.prerelease = prerelease;
  }

  override equal(other: Value): Value {
    return other instanceof SemanticVersion ? this.compare(other) === 0 : noSuchOverload(other);
  }

  compare(other: SemanticVersion): number {
    const numbers = order(this.major, other.major) || order(this.minor, other.minor) || order(this.patch, other.patch);
    if (numbers !== 0) return numbers;
    if (this.prerelease.length === 0 || other.prerelease.length === 0)
      return order(other.prerelease.length, this.prerelease.length, true);
    for (const [index, part] of this.prerelease.entries()) {
      const against = other.prerelease[index];
      if (against === undefined) return 1;
      const difference = comparePrerelease(part, against);
      if (difference !== 0) return difference;
    }
    return order(this.prerelease.length, other.prerelease.length);
  }
}

/** -1, 0 or 1; with `presence`, only whether there is something counts. */
function order(a: bigint | number, b: bigint | number, presence = false): number {
  if (presence) return Math.sign(Math.min(Number(a), 1) - Math.min(Number(b), 1));
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePrerelease(a: bigint | string, b: bigint | string): number {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? order(a, b) : -1;
  if (typeof b === 'bigint') return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function invalid(message: string): CelError {
  return new CelError(message);
}

function parseNumber(text: string, name: string): bigint | CelError {
  if (!/^\d*$/.test(text))
    return invalid(`Invalid character(s) found in ${name.toLowerCase()} number ${quoteText(text)}`);
  if (text.length > 1 && text.startsWith('0'))
    return invalid(`${name} number must not contain leading zeroes ${quoteText(text)}`);
  if (text === '') return invalid('strconv.ParseUint: parsing "": invalid syntax');
  const value = BigInt(text);
  return value < 2n ** 64n ? value : invalid(`strconv.ParseUint: parsing ${quoteText(text)}: value out of range`);
}

function parsePrerelease(text: string): bigint | string | CelError {
  if (text === '') return invalid('Prerelease is empty');
  if (/^\d+$/.test(text)) {
    if (text.length > 1 && text.startsWith('0')) {
      return invalid(`Numeric PreRelease version must not contain leading zeroes ${quoteText(text)}`);
    }
    const value = BigInt(text);
    return value < 2n ** 64n ? value : invalid(`strconv.ParseUint: parsing ${quoteText(text)}: value out of range`);
  }
  return /^[\dA-Za-z-]+$/.test(text) ? text : invalid(`Invalid character(s) found in prerelease ${quoteText(text)}`);
}

function cut(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

/** Reads a version as `github.com/blang/semver` does. */
function parse(text: string): SemanticVersion | CelError {
  if (text === '') return invalid('Version string empty');
  const [majorText, afterMajor] = cut(text, '.');
  const [minorText, rest] = cut(afterMajor ?? '', '.');
  if (afterMajor === undefined || rest === undefined) return invalid('No Major.Minor.Patch elements found');
  const major = parseNumber(majorText, 'Major');
  if (major instanceof CelError) return major;
  const minor = parseNumber(minorText, 'Minor');
  if (minor instanceof CelError) return minor;
  const [beforeBuild, build] = cut(rest, '+');
  const [patchText, prereleaseText] = cut(beforeBuild, '-');
  const patch = parseNumber(patchText, 'Patch');
  if (patch instanceof CelError) return patch;
  const prerelease: (bigint | string)[] = [];
  for (const part of prereleaseText?.split('.') ?? []) {
    const parsed = parsePrerelease(part);
    if (parsed instanceof CelError) return parsed;
    prerelease.push(parsed);
  }
  for (const part of build?.split('.') ?? []) {
    if (part === '') return invalid('Build meta data is empty');
    if (!/^[\dA-Za-z-]+$/.test(part))
      return invalid(`Invalid character(s) found in build meta data ${quoteText(part)}`);
  }
  return new SemanticVersion(major, minor, patch, prerelease);
}

/** Takes a leading `v` and leading zeros away and fills in missing parts. */
function normalize(text: string): string | CelError {
  const [major = '', ...others] = text.replace(/^v/, '').split('.');
  const all = others.length > 2 ? [major, others[0] ?? '', others.slice(1).join('.')] : [major, ...others];
  const parts = all.map((part) => {
    if (utf8Length(part) <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3) {
    if (/[+-]/.test(parts.at(-1) ?? '')) return invalid('short version cannot contain PreRelease/Build meta data');
    while (parts.length < 3) parts.push('0');
  }
  return parts.join('.');
}

function toVersion(args: readonly Value[]): Value {
  const [text, normalizes] = [argument(args, 0), args[1] ?? false];
  if (typeof text !== 'string' || typeof normalizes !== 'boolean') return noSuchOverload(text);
  const normalized = normalizes ? normalize(text) : text;
  return normalized instanceof CelError ? normalized : parse(normalized);
}

function isVersion(args: readonly Value[]): Value {
  const version = toVersion(args);
  return version instanceof SemanticVersion;
}

function on(call: (version: SemanticVersion) => Value) {
  return (args: readonly Value[]): Value => {
    const value = argument(args, 0);
    return value instanceof SemanticVersion ? call(value) : noSuchOverload(value);
  };
}

function onTwo(call: (difference: number) => Value) {
  return (args: readonly Value[]): Value => {
    const [left, right] = [argument(args, 0), argument(args, 1)];
    return left instanceof SemanticVersion && right instanceof SemanticVersion
      ? call(left.compare(right))
      : noSuchOverload(left);
  };
}

/** Numbers beyond int64 wrap around, as the conversion in Go does. */
function int(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

const two = [semverType, semverType];

/** Semantic versions. */
export const semverLibrary: Library = {
  since: 33,
  functions: [
    declare(
      'semver',
      overload('string_to_semver', [stringType], semverType, toVersion),
      overload('string_bool_to_semver', [stringType, boolType], semverType, toVersion),
    ),
    declare(
      'isSemver',
      overload('is_semver_string', [stringType], boolType, isVersion),
      overload('is_semver_string_bool', [stringType, boolType], boolType, isVersion),
    ),
    declare(
      'isGreaterThan',
      member(
        'semver_is_greater_than',
        two,
        boolType,
        onTwo((difference) => difference > 0),
      ),
    ),
    declare(
      'isLessThan',
      member(
        'semver_is_less_than',
        two,
        boolType,
        onTwo((difference) => difference < 0),
      ),
    ),
    declare(
      'compareTo',
      member(
        'semver_compare_to',
        two,
        intType,
        onTwo((difference) => BigInt(difference)),
      ),
    ),
    declare(
      'major',
      member(
        'semver_major',
        [semverType],
        intType,
        on((version) => int(version.major)),
      ),
    ),
    declare(
      'minor',
      member(
        'semver_minor',
        [semverType],
        intType,
        on((version) => int(version.minor)),
      ),
    ),
    declare(
      'patch',
      member(
        'semver_patch',
        [semverType],
        intType,
        on((version) => int(version.patch)),
      ),
    ),
  ],
};
