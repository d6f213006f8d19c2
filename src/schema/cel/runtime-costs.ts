import { matchingCost, readingCost } from './cost-factors.ts';
import type { Overload } from './declarations.ts';
import { Cidr } from './library/cidr.ts';
import { NamedFormat } from './library/format.ts';
import { IpAddress } from './library/ip-address.ts';
import { QuantityValue } from './library/quantity.ts';
import { SemanticVersion } from './library/semver.ts';
import { Url } from './library/url-value.ts';
import { ListValue } from './lists.ts';
import { MapValue } from './maps.ts';
import { Optional } from './optional.ts';
import { costSize } from './size.ts';
import { utf8Length } from './source.ts';
import type { Value } from './values.ts';

/** What a call cost. */
export function actualCallCost(
  name: string,
  overload: Overload | undefined,
  args: readonly Value[],
  result: Value,
): number {
  return (
    overload?.track?.(args, result) ?? libraryCost(name, overload?.id, args, result) ?? standardCost(overload?.id, args)
  );
}

const constant = new Set(
  [
    [
      'serviceAccount',
      'path',
      'group',
      'resource',
      'subresource',
      'namespace',
      'name',
      'allowed',
      'reason',
      'error',
      'errored',
    ],
    ['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast'],
    [
      'isGlobalUnicast',
      'format.named',
      'sign',
      'asInteger',
      'isInteger',
      'asApproximateFloat',
      'isGreaterThan',
      'isLessThan',
    ],
    ['compareTo', 'add', 'sub', 'major', 'minor', 'patch'],
    ['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'],
  ].flat(),
);

function sizeAt(args: readonly Value[], index: number): number {
  return costSize(args[index] ?? null);
}

/** What the Kubernetes libraries say a call cost. */
function libraryCost(
  name: string,
  overload: string | undefined,
  args: readonly Value[],
  result: Value,
): number | undefined {
  if (constant.has(name)) return 1;
  switch (name) {
    case 'check':
      return 350_000;
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
    case 'includes':
      return traversalCost(args[0] ?? null);
    case 'url':
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return readingCost(sizeAt(args, 0));
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return readingCost(sizeAt(args, 0), 2);
    case 'join':
      return readingCost(costSize(result), 2);
    case 'find':
    case 'findAll':
      return matchingCost(sizeAt(args, 0), sizeAt(args, 1));
    case 'ip':
      return overload === 'cidr_ip' ? 1 : readingCost(sizeAt(args, 0));
    case 'containsIP':
      return (
        readingCost(sizeAt(args, 0) * 2) + (overload === 'cidr_contains_ip_string' ? readingCost(sizeAt(args, 1)) : 0)
      );
    case 'containsCIDR': {
      const cost = readingCost(sizeAt(args, 0) * 2) + readingCost(sizeAt(args, 0)) + 1;
      return cost + (overload === 'cidr_contains_cidr_string' ? readingCost(sizeAt(args, 1)) : 0);
    }
    case 'validate': {
      const [format] = args;
      return format instanceof NamedFormat ? matchingCost(sizeAt(args, 1), format.patternSize) : undefined;
    }
    case '_==_':
      return hasConstantEquality(args[0] ?? null) ? 1 : undefined;
    default:
      return undefined;
  }
}

/** Values that are compared at the cost of 1, whatever their size. */
function hasConstantEquality(value: Value): boolean {
  return (
    value instanceof QuantityValue ||
    value instanceof IpAddress ||
    value instanceof Cidr ||
    value instanceof NamedFormat ||
    value instanceof Url ||
    value instanceof SemanticVersion
  );
}

/** A walk through a value with all it holds. */
function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  let cost = 0;
  if (value instanceof ListValue) {
    for (const element of value) cost += traversalCost(element);
    return cost;
  }
  if (!(value instanceof MapValue)) return 1;
  for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.get(key));
  return cost;
}

/** The size of a value, or of what an optional holds. */
function optionalSize(value: Value | undefined): number {
  if (value === undefined) return 1;
  return value instanceof Optional && value.value !== undefined ? optionalSize(value.value) : costSize(value);
}

const comparisons = new Set([
  'equals',
  'not_equals',
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
]);

function standardCost(overload: string | undefined, args: readonly Value[]): number {
  const [first, second] = args;
  switch (overload) {
    case 'starts_with_string':
    case 'ends_with_string':
      return readingCost(optionalSize(second));
    case 'string_to_bytes':
    case 'bytes_to_string':
    case 'strings_quote':
    case 'string_format':
      return readingCost(optionalSize(first));
    case 'in_list':
      return optionalSize(second);
    case 'add_string':
    case 'add_bytes':
      return readingCost(optionalSize(first) + optionalSize(second));
    case 'matches':
    case 'matches_string':
      return matchingCost(optionalSize(first), optionalSize(second));
    case 'contains_string':
      return readingCost(optionalSize(first)) * readingCost(optionalSize(second));
    default:
      return overload !== undefined && comparisons.has(overload)
        ? readingCost(Math.min(optionalSize(first), optionalSize(second)))
        : 1;
  }
}
