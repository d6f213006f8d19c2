import { describe, expect, it } from 'vitest';
import { patternOf, pluralOfKind, RegularExpression } from './index.ts';

describe('pluralOfKind', () => {
  it.each([
    ['Ec2Instance', 'ec2instances'],
    ['S3Bucket', 's3buckets'],
    ['SqsQueue', 'sqsqueues'],
    ['Gateway', 'gateways'],
    ['Index', 'indices'],
    ['Status', 'statuses'],
    ['Switch', 'switches'],
    ['Mailbox', 'mailboxes'],
    ['VirtualMachineQuota', 'virtualmachinequotas'],
    ['Leaf', 'leaves'],
    ['Endpoints', 'endpoints'],
    ['Policy', 'policies'],
    ['Proxy', 'proxies'],
    ['Chassis', 'chassis'],
    ['IngressClass', 'ingressclasses'],
    ['DNS', 'dnses'],
    ['Metadata', 'metadata'],
    ['Analysis', 'analyses'],
    ['Beta', 'beta'],
    ['Relaxed', 'relaxeds'],
    ['Prometheus', 'prometheuses'],
    ['Class', 'classes'],
    ['Chaos', 'chaos'],
    ['HTTPRoute', 'httproutes'],
    ['HTTPIndex', 'httpindices'],
    ['Child', 'children'],
    ['GrandChild', 'grandchildren'],
    ['Human', 'humans'],
    ['Sheep', 'sheep'],
    ['Hero', 'heroes'],
    ['Repo', 'repoes'],
    ['Database', 'databases'],
    ['Datum', 'data'],
    ['Octopus', 'octupuses'],
    ['Redis', 'redis'],
    ['Widget', 'widgets'],
    ['A', 'as'],
  ])('gives %s the plural %s', (kind, plural) => {
    expect(pluralOfKind(kind)).toBe(plural);
  });
});

describe('patternOf', () => {
  it.each([
    [new RegularExpression('^a$', ''), '^a$'],
    [new RegularExpression('^\\/dev\\/x$', ''), '^/dev/x$'],
    [new RegularExpression('a\\\\/b', ''), 'a\\\\/b'],
    [new RegularExpression('a', 'si'), '(?is)a'],
    [new RegularExpression('a', 'u'), 'a'],
    ['as it stands', 'as it stands'],
  ])('makes of %o the pattern %s', (value, pattern) => {
    expect(patternOf(value)).toBe(pattern);
  });

  it.each(['g', 'y', 'd', 'v'])('refuses the flag %s', (flag) => {
    expect(patternOf(new RegularExpression('a', flag))).toHaveProperty('problem');
  });
});
