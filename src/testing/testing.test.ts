import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManifestError, startTestEnvironment } from './index.ts';
import { parseManifests, readManifests } from './manifests.ts';

const folders: string[] = [];
const folderWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'create-operator-testing-test-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.example.com }
spec:
  group: example.com
  scope: Cluster
  names: { plural: gadgets, kind: Gadget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } } }]
`;
const gadget = 'apiVersion: example.com/v1\nkind: Gadget\nmetadata: { name: one }\nspec: { size: 1 }\n';
const role =
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: reader }\nrules: [{ apiGroups: [example.com], resources: [gadgets], verbs: [get] }]\n';
const binding =
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: { name: reader }\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader }\nsubjects: [{ kind: ServiceAccount, name: robot, namespace: default }]\n';

describe('manifests', () => {
  it('are read from files and folders, lists taken apart, customizations left out', async () => {
    const folder = await folderWith({
      'b.yaml': `${gadget}---\n${role}---\n`,
      'a.json':
        '{"kind":"List","apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}]}',
      'kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: { name: k }\n',
      'notes.txt': 'nothing',
    });
    expect((await readManifests([folder])).map(({ kind }) => kind)).toEqual(['Namespace', 'Gadget', 'ClusterRole']);
  });

  it.each([
    ['no object', 'a: 1'],
    ['no YAML', 'a: [1'],
    ['a text', 'hello'],
  ])('are refused when they are %s', (_name, text) => {
    expect(() => parseManifests(text, 'file.yaml')).toThrow(/^file\.yaml: /);
  });
});

describe('startTestEnvironment', () => {
  it('installs definitions before objects of their kinds, and RBAC for the users', async () => {
    const crds = await folderWith({ 'crd.yaml': definition });
    const environment = await startTestEnvironment({
      assets: '',
      crdPaths: [crds],
      manifests: [gadget, binding, role],
      users: [{ name: 'system:serviceaccount:default:robot' }],
    });
    try {
      const path = '/apis/example.com/v1/gadgets/one';
      const robot = 'system:serviceaccount:default:robot';
      expect((await environment.request({ path, user: robot })).status).toBe(200);
      expect((await environment.request({ path, user: robot, method: 'DELETE' })).status).toBe(403);
      const file = await environment.kubeconfigFile(robot);
      expect(await readFile(file, 'utf8')).toBe(environment.kubeconfig(robot));
      await environment.install(gadget.replace('size: 1', 'size: 2'));
      expect((await environment.request({ path })).json()).toMatchObject({ spec: { size: 2 } });
      await environment.stop();
      expect(existsSync(file)).toBe(false);
    } finally {
      await environment.stop();
    }
  });

  it.each([
    ['an object that is not valid', gadget.replace('size: 1', 'size: big'), /Gadget one: .*must be of type integer/],
    [
      'a kind that is unknown',
      'apiVersion: nope.example.com/v1\nkind: Nope\nmetadata: { name: a }\n',
      /the server knows no kind Nope in nope\.example\.com\/v1/,
    ],
  ])('says what is wrong with %s, and leaves nothing running', async (_name, manifest, message) => {
    await expect(startTestEnvironment({ assets: '', manifests: [definition, manifest] })).rejects.toThrow(message);
    await expect(startTestEnvironment({ assets: '', manifests: [definition, manifest] })).rejects.toThrow(
      ManifestError,
    );
  });

  it('says which program is missing', async () => {
    await expect(startTestEnvironment({ assets: '/nowhere', timeout: 5000 })).rejects.toThrow(
      /\/nowhere\/(etcd|kube-apiserver)/,
    );
  });
});
