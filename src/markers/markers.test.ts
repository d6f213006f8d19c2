import { describe, expect, it } from 'vitest';
import * as decorators from 'operator-runtime/markers';
import { Float, jsonObject } from '../model/index.ts';
import {
  checkArguments,
  type Marker,
  type MarkerArgument,
  markerByName,
  markerByTag,
  markerForGoMarker,
  markers,
  RegularExpression,
  suggestTag,
} from './index.ts';

function marker(name: string): Marker {
  const found = markerByName(name);
  if (found === undefined) throw new Error(`no marker ${name}`);
  return found;
}

describe('the registry', () => {
  it('has each decorator of operator-runtime, and nothing else', () => {
    expect(markers.map(({ name }) => name).sort()).toEqual(Object.keys(decorators).sort());
  });

  it('has each name and tag once', () => {
    expect(new Set(markers.map(({ name }) => name)).size).toBe(markers.length);
    expect(new Set(markers.map(({ tag }) => tag)).size).toBe(markers.length);
  });

  it.each(markers)('finds $name by its name and its tag', (one) => {
    expect(markerByName(one.name)).toBe(one);
    expect(markerByTag(one.tag)).toBe(one);
    expect(one.tag).toBe(one.name.charAt(0).toLowerCase() + one.name.slice(1));
    expect(one.help).toMatch(/\.$/);
  });

  it.each([
    ['minimun', 'minimum'],
    ['Minimum', 'minimum'],
    ['minLenght', 'minLength'],
    ['printcolumn', 'printerColumn'],
    ['resourc', 'resource'],
    ['listtype', 'listType'],
  ])('suggests for @%s the tag @%s', (written, meant) => {
    expect(suggestTag(written)).toBe(meant);
  });

  it('suggests nothing for a word that is far from all', () => {
    expect(suggestTag('swimlane')).toBeUndefined();
  });

  it.each([
    ['kubebuilder:validation:Minimum=1', 'Minimum'],
    ['kubebuilder:validation:XValidation:rule="self > 0"', 'Validation'],
    ['kubebuilder:printcolumn:name="A",type=string,JSONPath=`.a`', 'PrinterColumn'],
    ['kubebuilder:subresource:status', 'StatusSubresource'],
    ['kubebuilder:subresource:scale:specpath=.a,statuspath=.b', 'ScaleSubresource'],
    ['kubebuilder:resource:shortName=ec2', 'Resource'],
    ['kubebuilder:rbac:groups="",resources=pods,verbs=get', 'Rbac'],
    ['kubebuilder:validation:items:MaxLength=3', 'MaxLength'],
    ['kubebuilder:pruning:PreserveUnknownFields', 'PreserveUnknownFields'],
    ['kubebuilder:validation:Enum=a;b', 'Enum'],
    ['kubebuilder:default=3', 'Default'],
    ['listType=map', 'ListType'],
    ['listMapKey=name', 'ListType'],
    ['k8s:immutable', 'Immutable'],
    ['nullable', 'Nullable'],
  ])('names for +%s the marker %s', (text, name) => {
    expect(markerForGoMarker(text)).toBe(marker(name));
  });

  it('knows that required and optional have no marker, and that others mean nothing here', () => {
    expect(markerForGoMarker('optional')).toBe('optional');
    expect(markerForGoMarker('kubebuilder:validation:Required')).toBe('optional');
    expect(markerForGoMarker('kubebuilder:object:root=true')).toBeUndefined();
  });
});

describe('checkArguments', () => {
  const resource = jsonObject([
    ['group', 'a.example.com'],
    ['version', 'v1'],
  ]);

  it.each<[string, readonly MarkerArgument[]]>([
    ['Minimum', [1]],
    ['Minimum', [new Float(1)]],
    ['Minimum', [-0.5]],
    ['MinLength', [0]],
    ['Pattern', ['a']],
    ['Pattern', [new RegularExpression('a', 'imsu')]],
    ['Enum', ['a', 1, true]],
    ['ListType', ['map', 'name', 'port']],
    ['ListType', ['set']],
    ['Default', [null]],
    ['StatusSubresource', []],
    ['Resource', [resource]],
  ])('accepts %s(%o)', (name, values) => {
    expect(checkArguments(marker(name), values)).toEqual([]);
  });

  it.each<[string, readonly MarkerArgument[], string]>([
    ['Minimum', [], "its argument 'minimum' is missing"],
    ['Minimum', ['1'], "its argument 'minimum' must be a number"],
    ['Minimum', [1, 2], 'it takes 1 argument, not 2'],
    ['Minimum', [10n ** 20n], "its argument 'minimum' is beyond the numbers that are exact (2^53 - 1)"],
    ['MinLength', [-1], "its argument 'minLength' must be a whole number of at least 0"],
    ['MinLength', [1.5], "its argument 'minLength' must be a whole number of at least 0"],
    ['Pattern', [1], "its argument 'pattern' must be a string or a regular expression"],
    ['Pattern', [new RegularExpression('a', 'g')], 'the flag g of a regular expression has no meaning in a pattern'],
    ['Enum', [], "its argument 'values' is missing"],
    ['Enum', [null], "its argument 'values' must be strings, numbers or booleans"],
    ['ListType', ['sets'], "its argument 'type' must be one of 'atomic', 'set', 'map'"],
    ['Default', [new RegularExpression('a', '')], "its argument 'value' must be a JSON value"],
    ['StatusSubresource', [true], 'it takes no arguments'],
    ['ExactlyOneOf', ['a'], 'it needs at least 2 names'],
    ['Resource', ['x'], "its argument 'options' must be an object"],
    ['Resource', [jsonObject([...Object.entries(resource), ['scop', 'Cluster']])], "it has no option 'scop'"],
    ['Resource', [jsonObject([['group', 'a.example.com']])], "its option 'version' is missing"],
    [
      'Resource',
      [jsonObject([...Object.entries(resource), ['scope', 'cluster']])],
      "its option 'scope' must be one of 'Namespaced', 'Cluster'",
    ],
    ['Items', [1], "its argument 'markers' must be markers"],
  ])('refuses %s(%o)', (name, values, problem) => {
    expect(checkArguments(marker(name), values).map((found) => found.problem)).toEqual([problem]);
  });

  it.each<[string, readonly MarkerArgument[], string]>([
    ['Enum', [['a', 'b']], 'write the values without brackets'],
    ['ListType', ['map', ['name']], 'write the values without brackets'],
    ['Resource', ['x'], 'write { group: ..., version: ... }'],
    ['Validation', ['self > 0'], 'write { rule: ... }'],
    ['Metadata', ['a'], 'write { labels: ... }'],
  ])('says how %s(%o) is written', (name, values, remedy) => {
    expect(checkArguments(marker(name), values).map((found) => found.remedy)).toEqual([remedy]);
  });

  it('suggests what was meant', () => {
    const options = jsonObject([...Object.entries(resource), ['shortName', ['a']]]);
    expect(checkArguments(marker('Resource'), [options])[0]?.remedy).toBe("did you mean 'shortNames'?");
    expect(checkArguments(marker('ListType'), ['Map'])[0]?.remedy).toBe("did you mean 'map'?");
  });
});
