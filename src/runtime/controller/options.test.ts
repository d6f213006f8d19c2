import { describe, expect, it } from 'vitest';
import { ConfigMap, Widget, setUp } from '../../../test/support/controller-bench.ts';
import { ControllerBuilder } from './builder.ts';
import type { ControllerOptions } from './options.ts';
import { generationChanged } from './predicates.ts';
import { requestFor } from './reconcile.ts';
import { done } from './result.ts';

/** What a program without types may pass. */
const untyped = (value: unknown): never => value as never;

describe('the options of a controller', () => {
  it.each<[ControllerOptions, string]>([
    [{ reconcileTimeout: 'soon' }, 'reconcileTimeout: not a duration: "soon"'],
    [{ reconcileTimeout: 0 }, 'reconcileTimeout must be longer than 0, not 0'],
    [{ cacheSyncTimeout: Number.NaN }, 'cacheSyncTimeout: a delay must be a finite number of milliseconds'],
    [{ cacheSyncTimeout: '-1s' }, 'cacheSyncTimeout must be longer than 0, not -1s'],
    [
      untyped({ guards: { selfTrigeredLoop: false } }),
      'there is no guard named "selfTrigeredLoop"; the guards are self',
    ],
    [
      untyped({ guards: { noOpWrite: 'off' } }),
      'the guard noOpWrite is switched on and off by true and false, not "off"',
    ],
    [untyped({ fairnessKey: 'namespace' }), 'fairnessKey must be a function'],
    [untyped({ rateLimiter: {} }), 'rateLimiter must be a RateLimiter'],
  ])('%o are refused', (options, message) => {
    expect(() => setUp(() => Promise.resolve(done), options).start()).toThrow(`controller widget: ${message}`);
  });
});

it('an option of a controller that is undefined is left out', () => {
  const options = { guards: { noOpWrite: undefined }, reconcileTimeout: undefined, rateLimiter: undefined };
  expect(() =>
    setUp(() => Promise.resolve(done), untyped(options)).builder.reconcile(() => Promise.resolve(done)),
  ).not.toThrow();
});

describe('the builder', () => {
  /** As it stands in the file of types: markers, and nothing else. */
  class Declaration {
    spec = {};
  }
  const reconcile = () => Promise.resolve(done);

  it.each<[string, (builder: ControllerBuilder) => unknown]>([
    ['for() needs a kind', (builder) => builder.for(untyped(undefined))],
    ['for() needs a kind', (builder) => builder.for(untyped(Declaration))],
    ['owns() needs a kind', (builder) => builder.owns(untyped('ConfigMap'))],
    ['watches() needs a kind', (builder) => builder.watches(untyped({}), () => [])],
    ['watches(ConfigMap) needs a function', (builder) => builder.watches(ConfigMap, untyped(undefined))],
    [
      'for(Widget): predicates must be a list of functions',
      (builder) => builder.for(Widget, untyped({ predicates: generationChanged })),
    ],
    [
      'owns(ConfigMap): predicates must be a list of functions',
      (builder) => builder.owns(ConfigMap, untyped({ predicates: [undefined] })),
    ],
    ['watchesChannel() needs a RequestChannel', (builder) => builder.watchesChannel(untyped(undefined))],
    ['every(): not a duration: "often"', (builder) => builder.every('often', () => [])],
    ['reconcile() needs a function', (builder) => builder.for(Widget).reconcile(untyped(undefined))],
    ['reconcile() needs a function', (builder) => builder.for(Widget).reconcile(untyped({ run: reconcile }))],
    ['nothing is watched', (builder) => builder.reconcile(reconcile)],
    ['owns() needs for()', (builder) => builder.owns(ConfigMap).reconcile(reconcile)],
    ['for(ConfigMap) after for(Widget)', (builder) => builder.for(Widget).for(ConfigMap)],
  ])('says: %s', (message, use) => {
    const builder = new ControllerBuilder('widget', () => {
      throw new Error('built');
    });
    expect(() => use(builder)).toThrow(`controller widget: ${message}`);
  });
});

describe('a key', () => {
  it.each([undefined, ''])('has a name, not %j', (name) => {
    expect(() => requestFor(untyped({ namespace: 'ns', name }))).toThrow('not the key of an object: {"namespace":"ns"');
  });
});
