import { widgets } from '../definitions.ts';
import { namespace, core, custom, changed, widget } from './parts.ts';
import { mergePatch, strategicMergePatch, table, type Sequence } from '../sequence.ts';

export const kindsSequences: readonly Sequence[] = [
  {
    name: 'custom resources',
    steps: [
      namespace('customs'),
      { path: custom('customs'), body: widget('a', { size: 3, nope: true }, { status: { phase: 'Ready' } }) },
      { path: custom('customs', '?fieldValidation=Strict'), body: widget('b', { size: 3, nope: true }) },
      { path: custom('customs'), body: widget('c', {}) },
      { path: custom('customs'), body: widget('c', { size: 'big' }) },
      { path: custom('customs'), body: widget('c', { size: 100, color: 'blue' }) },
      { path: custom('customs'), body: widget('c', { size: 9 }) },
      { path: custom('customs'), body: { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'c' } } },
      {
        path: custom('customs'),
        body: { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'c' }, spec: { size: 1 } },
      },
      { path: custom('customs'), body: { metadata: { name: 'c' }, spec: { size: 1 } } },
      {
        path: custom('customs'),
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'C' }, spec: { size: 1 } },
      },
      { method: 'PUT', path: custom('customs', '/a'), body: widget('a', { size: 4 }) },
      {
        method: 'PUT',
        path: custom('customs', '/a'),
        make: changed(1, { spec: { size: 4 }, status: { phase: 'Lost' } }),
      },
      {
        method: 'PUT',
        path: custom('customs', '/a/status'),
        make: changed(-1, { spec: { size: 5 }, status: { phase: 'Ready' } }),
      },
      {
        method: 'PATCH',
        path: custom('customs', '/a'),
        body: { spec: { size: 5 }, status: { phase: 'X' } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('customs', '/a/status'),
        body: { spec: { size: 6 }, status: { phase: 'Y' }, metadata: { labels: { a: 'b' } } },
        headers: mergePatch,
      },
      { method: 'PATCH', path: custom('customs', '/a'), body: { spec: { size: 6 } }, headers: strategicMergePatch },
      { method: 'PATCH', path: custom('customs', '/a'), body: { spec: { size: 9 } }, headers: mergePatch },
      {
        method: 'PATCH',
        path: custom('customs', '/a'),
        body: { metadata: { annotations: { a: 'b' } } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('customs', '/a'),
        body: { metadata: { annotations: { a: 'b' } } },
        headers: mergePatch,
      },
      { path: custom('customs', '/a/scale') },
      { method: 'PATCH', path: custom('customs', '/a/scale'), body: { spec: { replicas: 2 } }, headers: mergePatch },
      {
        method: 'PUT',
        path: custom('customs', '/a/scale'),
        body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 3 } },
      },
      {
        method: 'PUT',
        path: custom('customs', '/a/scale'),
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'a', resourceVersion: '1' },
          spec: { replicas: 3 },
        },
      },
      { method: 'PATCH', path: custom('customs', '/a/scale'), body: { spec: { replicas: -1 } }, headers: mergePatch },
      { path: custom('customs', '/a/nope') },
      { method: 'DELETE', path: custom('customs', '/a/status') },
      { path: custom('customs'), headers: table },
      { path: custom('customs', '/a'), headers: table },
      { path: custom('customs', '?fieldSelector=spec.color%3Dred'), headers: table },
      { path: custom('customs', '?fieldSelector=spec.size%3D3') },
      { path: custom('customs', '?labelSelector=a%20b') },
      { path: custom('customs', '?labelSelector=a%20in%20(b)') },
      { method: 'DELETE', path: custom('customs') },
      { path: custom('customs') },
    ],
  },
  {
    name: 'lists',
    steps: [
      namespace('lists'),
      ...['a', 'b', 'c', 'd'].map((name) => ({
        path: core('lists', 'configmaps'),
        body: { metadata: { name: `list-${name}`, labels: { name } } },
      })),
      { path: core('lists', 'configmaps?labelSelector=name') },
      { path: core('lists', 'configmaps?labelSelector=name&limit=2') },
      {
        path: (answers) =>
          `${core('lists', 'configmaps?labelSelector=name&limit=2')}&continue=${(answers.at(-1) as { metadata: { continue: string } }).metadata.continue}`,
      },
      { path: core('lists', 'configmaps?labelSelector=name!=a,name&limit=500') },
      { path: core('lists', 'configmaps?fieldSelector=metadata.name%3Dlist-b') },
      {
        path: core(
          'lists',
          'configmaps?fieldSelector=metadata.name!=list-b,metadata.namespace%3Dlists&labelSelector=name',
        ),
      },
      { path: core('lists', 'configmaps?fieldSelector=spec.foo%3Dx') },
      { path: core('lists', 'configmaps?fieldSelector=nothing') },
      { path: core('lists', 'configmaps?limit=abc') },
      { path: core('lists', 'configmaps?continue=abc') },
      { path: core('lists', 'configmaps?resourceVersion=abc') },
      { path: core('lists', 'configmaps?resourceVersionMatch=Exact') },
      { path: core('lists', 'configmaps?resourceVersion=0&resourceVersionMatch=Exact') },
      { path: core('lists', 'configmaps?resourceVersion=1&resourceVersionMatch=Wrong') },
      { path: core('lists', 'configmaps?sendInitialEvents=true') },
      { path: core('lists', 'configmaps?watch=true&sendInitialEvents=true') },
      { path: core('lists', 'configmaps?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1') },
      { path: core('lists', 'configmaps?watch=true&resourceVersion=abc') },
      { path: core('lists', 'configmaps?resourceVersion=0&limit=1&labelSelector=name') },
      { path: core('lists', 'configmaps?labelSelector=name'), headers: table },
      { path: core('lists', 'configmaps?labelSelector=name&includeObject=None'), headers: table },
      { path: core('lists', 'configmaps?includeObject=Wrong'), headers: table },
      { method: 'DELETE', path: core('lists', 'configmaps?labelSelector=name%3Da') },
      { path: core('lists', 'configmaps?labelSelector=name'), headers: table },
    ],
  },
  {
    name: 'definitions',
    steps: [
      { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: { metadata: { name: 'x' } } },
      { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: widgets },
      {
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
        body: {
          ...widgets,
          metadata: { name: 'gadgets.example.com' },
          spec: { ...widgets.spec, names: { plural: 'gadgets', kind: 'Gadget' } },
        },
      },
      {
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
        body: {
          ...widgets,
          metadata: { name: 'gadgets.example.com' },
          spec: { ...widgets.spec, names: { plural: 'gadgets', kind: 'Gadget' }, versions: [] },
        },
      },
      {
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldSelector=metadata.name%3Dwidgets.example.com',
        headers: table,
      },
      { path: '/apis/example.com/v1' },
      { path: '/apis/example.com' },
    ],
  },
];
