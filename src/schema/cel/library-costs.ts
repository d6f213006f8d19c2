import { estimatePattern, textFactor } from './cost-factors.ts';
import {
  addRanges,
  type CallEstimate,
  type CostNode,
  fixed,
  maximumUint64,
  multiplyRanges,
  type NodeSizes,
  type Range,
  scaleRange,
  unionRanges,
  wrapUint64,
  zero,
} from './estimates.ts';
import { cidrType, formatType, ipType, quantityType, semverType, urlType } from './types.ts';

/** The functions that cost 1 whatever they are called on. */
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

/** The functions that read their first argument once. */
const readers = new Set(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver']);

/** What the Kubernetes libraries say a call costs; undefined where they leave it to the language. */
export function libraryCallCost(
  sizes: NodeSizes,
  name: string,
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
): CallEstimate | undefined {
  if (constant.has(name)) return { cost: fixed(1n) };
  const [first, second] = args;
  if (readers.has(name)) return first === undefined ? undefined : { cost: scaleRange(sizes.sizeOf(first), textFactor) };
  switch (name) {
    case 'check':
      return { cost: fixed(350_000n) };
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
    case 'includes':
      return target === undefined ? undefined : { cost: searchCost(sizes, name, target) };
    case 'url':
      return args.length === 1 && first !== undefined ? textCost(sizes.sizeOf(first), 1) : undefined;
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target === undefined ? undefined : textCost(sizes.sizeOf(target), 1);
    case 'replace':
      if (target === undefined || first === undefined || second === undefined) return undefined;
      return {
        cost: scaleRange(sizes.sizeOf(target), 2 * textFactor),
        resultSize: replacedSize(sizes.sizeOf(target), sizes.sizeOf(first), sizes.sizeOf(second)),
      };
    case 'split':
      return target === undefined ? undefined : splitCost(sizes.sizeOf(target), second);
    case 'join':
      return target === undefined ? undefined : joinCost(sizes, target, first);
    case 'find':
    case 'findAll': {
      if (target === undefined || first === undefined) return undefined;
      const size = sizes.sizeOf(target);
      return { cost: estimatePattern(size, sizes.sizeOf(first)), resultSize: { min: 0n, max: size.max } };
    }
    case 'ip':
      if (overload === 'cidr_ip') return { cost: fixed(1n) };
      return first === undefined ? undefined : { cost: scaleRange(sizes.sizeOf(first), textFactor) };
    case 'ip.isCanonical':
      return first === undefined ? undefined : { cost: scaleRange(sizes.sizeOf(first), 2 * textFactor) };
    case 'containsIP':
    case 'containsCIDR':
      return first === undefined ? undefined : { cost: containsCost(name, overload, sizes.sizeOf(first)) };
    case 'validate':
      if (first === undefined) return undefined;
      return { cost: scaleRange(scaleRange(sizes.sizeOf(first), textFactor), longestPattern * 0.25) };
    case '_==_':
      return first === undefined || second === undefined ? undefined : equalityCost(first, second);
    default:
      return undefined;
  }
}

/** The length that the pattern of a named format counts with in estimates. */
const longestPattern = 128;

function textCost(size: Range, times: number): CallEstimate {
  return { cost: scaleRange(size, times * textFactor), resultSize: size };
}

/** A walk over a list, with its texts, or over a text. */
function searchCost(sizes: NodeSizes, name: string, target: CostNode): Range {
  const size = sizes.sizeOf(target);
  const element = elementOf(target);
  if (element === undefined) return name === 'includes' ? size : scaleRange(size, textFactor);
  let each = fixed(1n);
  if (element.type.kind === 'string' || element.type.kind === 'bytes') {
    each = addRanges(each, scaleRange(sizes.sizeOf(element), textFactor));
  }
  return multiplyRanges(size, each);
}

function elementOf(list: CostNode): CostNode | undefined {
  const [type] = list.type.parameters;
  if (type === undefined) return undefined;
  return {
    path: list.path.length === 0 ? [] : [...list.path, '@items'],
    type,
    expression: undefined,
    computedSize: undefined,
  };
}

function replacedSize(size: Range, old: Range, replacement: Range): Range {
  let countMax = 0n;
  let keptMax = 0n;
  if (old.min === 0n) {
    countMax = size.max < maximumUint64 ? size.max + 1n : size.max;
    keptMax = size.max;
  } else if (replacement.max <= old.min) {
    keptMax = size.max;
  } else {
    countMax = divideUp(size.max, old.min);
  }
  let countMin = 0n;
  let keptMin = 0n;
  if (old.max === 0n) {
    countMin = size.min < maximumUint64 ? size.min + 1n : size.min;
    keptMin = size.min;
  } else if (old.max <= replacement.min) {
    keptMin = size.min;
  } else {
    countMin = divideUp(size.min, old.max);
  }
  return addRanges(multiplyRanges({ min: countMin, max: countMax }, replacement), { min: keptMin, max: keptMax });
}

/** The quotient of doubles, rounded up; one that uint64 does not hold is what the server's processor makes of it. */
function divideUp(a: bigint, b: bigint): bigint {
  const quotient = Math.ceil(Number(a) / Number(b));
  return quotient >= 2 ** 64 ? overflowedConversion : BigInt(quotient);
}

const overflowedConversion = 1n << 63n;

function splitCost(size: Range, limit: CostNode | undefined): CallEstimate {
  const literal = limit?.expression?.kind === 'literal' ? limit.expression.value : undefined;
  const max = typeof literal === 'bigint' ? wrapUint64(literal) : size.max;
  return { cost: scaleRange(size, 2 * textFactor), resultSize: { min: 0n, max } };
}

function joinCost(sizes: NodeSizes, target: CostNode, separator: CostNode | undefined): CallEstimate {
  const listSize = sizes.sizeOf(target);
  const element = elementOf(target);
  let size = element === undefined ? zero : multiplyRanges(listSize, sizes.sizeOf(element));
  if (separator !== undefined) {
    const between = {
      min: listSize.min > 0n ? listSize.min - 1n : 0n,
      max: listSize.max > 0n ? listSize.max - 1n : 0n,
    };
    size = addRanges(size, multiplyRanges(sizes.sizeOf(separator), between));
  }
  return { cost: scaleRange(size, textFactor), resultSize: size };
}

/** Prefixes have 4 or 16 bytes; a text has to be read first. */
function containsCost(name: string, overload: string, other: Range): Range {
  const bytes = { min: 4n, max: 16n };
  let cost = scaleRange(addRanges(bytes, bytes), textFactor);
  if (name === 'containsCIDR') cost = addRanges(addRanges(cost, scaleRange(bytes, textFactor)), fixed(1n));
  return overload.endsWith('_string') ? addRanges(cost, scaleRange(other, textFactor)) : cost;
}

const largestFormat = 64n;

function equalityCost(left: CostNode, right: CostNode): CallEstimate | undefined {
  const { type } = left;
  if (type.name !== right.type.name) return undefined;
  if (type.kind === 'opaque')
    return type.name === ipType.name || type.name === cidrType.name ? { cost: fixed(1n) } : undefined;
  if (type === quantityType || type === semverType) return { cost: fixed(1n) };
  if (type === formatType) return { cost: scaleRange({ min: 1n, max: largestFormat }, textFactor) };
  if (type !== urlType) return undefined;
  const size = right.computedSize === undefined ? fixed(1n) : unionRanges(right.computedSize, right.computedSize);
  return { cost: scaleRange({ min: 1n, max: size.max }, textFactor) };
}
