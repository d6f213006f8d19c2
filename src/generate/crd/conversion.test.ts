import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkKinds } from '../checks/index.ts';
import { generate, type Outputs } from '../generate.ts';
import { kind, model, version } from '../testing/model.ts';
import { withConversions } from './conversion.ts';
import { emitDefinition } from './definition.ts';

const widget = kind({
  versions: [version({ name: 'v1' }), version({ name: 'v1beta1', storage: false })],
});
const gadget = kind({ kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', singular: 'gadget' });
const declaration = { group: 'example.com', kind: 'Widget', declaredIn: 'operator.json' };

describe('conversion webhooks', () => {
  it('give the kind that they are declared for the stanza that kubebuilder patches in', () => {
    const { kinds, diagnostics } = withConversions([gadget, widget], [declaration]);
    expect(diagnostics).toEqual([]);
    const [first, second] = kinds.map((each) => parse(emitDefinition(each)) as { spec: Record<string, unknown> });
    expect(first?.spec).not.toHaveProperty('conversion');
    expect(second?.spec['conversion']).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { name: 'webhook-service', namespace: 'system', path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    });
  });

  it('pass the checks of the API server', () => {
    const { kinds } = withConversions([widget], [declaration]);
    expect(checkKinds(kinds, { major: 1, minor: 34 })).toEqual([]);
  });

  it('leave a kind as it is that has none', () => {
    expect(withConversions([widget], []).kinds).toEqual([widget]);
  });

  const outputs: Outputs = {
    root: '/project',
    crdDir: 'crd',
    roleName: 'manager-role',
    kindRoles: false,
    kubernetesVersion: { major: 1, minor: 34 },
  };

  it.each([
    ['Widgte', 'example.com', 'did you mean Widget.example.com?'],
    ['Widget', 'example.org', 'did you mean Widget.example.com?'],
    ['Other', 'else.where', 'the sources declare Widget.example.com'],
  ])('are an error for %s in %s, which nobody declares', (name, group, remedy) => {
    const conversions = [{ group, kind: name, declaredIn: 'operator.json' }];
    const { files, diagnostics } = generate(model([widget]), { ...outputs, conversions });
    expect(files).toEqual([]);
    expect(diagnostics).toMatchObject([
      { code: 'CO2060', severity: 'error', message: expect.stringContaining(`operator.json declares`), remedy },
    ]);
  });

  it('are written with the files of a run', () => {
    const { files } = generate(model([widget]), { ...outputs, conversions: [declaration] });
    expect(files.map(({ content }) => content).join()).toContain('strategy: Webhook');
  });
});
