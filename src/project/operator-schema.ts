import type { JsonSchema } from './json-schema.ts';
import { packageManagers } from './package-manager.ts';

/** Where `$schema` in an `operator.json` points to: editors take it from the installed package. */
export const operatorSchemaReference = './node_modules/create-operator/schemas/operator.schema.json';

const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

const resource: JsonSchema = {
  description: 'A kind that create-operator api has scaffolded, in one version.',
  type: 'object',
  required: ['group', 'version', 'kind', 'plural'],
  properties: {
    group: {
      description: 'The whole API group; empty for the core group of Kubernetes.',
      type: 'string',
      pattern: `^(${dnsLabel}(\\.${dnsLabel})*)?$`,
      examples: ['example.com'],
    },
    version: {
      description: 'The API version.',
      type: 'string',
      pattern: `^${dnsLabel}$`,
      examples: ['v1'],
    },
    kind: {
      description: 'The kind in PascalCase.',
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9]*$',
      examples: ['Widget'],
    },
    plural: {
      description: 'What the API server calls the resource.',
      type: 'string',
      pattern: `^${dnsLabel}$`,
      examples: ['widgets'],
    },
    scope: {
      description: 'Where its objects live.',
      type: 'string',
      enum: ['Namespaced', 'Cluster'],
      default: 'Namespaced',
      examples: ['Namespaced'],
    },
    controller: {
      description: 'Whether the project reconciles it.',
      type: 'boolean',
      default: true,
      examples: [true],
    },
    storage: {
      description:
        'Whether its types were scaffolded as the storage version; false for versions that were added to a kind later.',
      type: 'boolean',
      enum: [false],
      examples: [false],
    },
    types: {
      description:
        'Who defines it: this project (own), Kubernetes (core), or somebody else, with a client that create-operator import wrote (imported).',
      type: 'string',
      enum: ['own', 'core', 'imported'],
      default: 'own',
      examples: ['own'],
    },
    adopted: {
      description:
        'Whether the project had its types before create-operator knew of it: written by import --types, or by hand. They stay as they are.',
      type: 'boolean',
      enum: [true],
      examples: [true],
    },
    client: {
      description: 'The module of the typed client of an imported kind, relative to the project, with "/".',
      type: 'string',
      pattern: '^[^\\\\]*\\.ts$',
      examples: ['src/imported/cert-manager.io_v1_certificate.ts'],
    },
    webhooks: {
      description: 'What its webhooks do, where no marker says it.',
      type: 'object',
      properties: {
        conversion: {
          description: 'Whether the operator converts its objects between versions, at /convert of webhook-service.',
          type: 'boolean',
          default: false,
          examples: [true],
        },
      },
      examples: [{ conversion: true }],
    },
  },
};

/**
 * The JSON schema of `operator.json`. Both the file that editors read (`schemas/operator.schema.json`) and our own reader come from it.
 * Members that it does not name are allowed, and kept.
 */
export const operatorSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'operator.json',
  description: 'What create-operator remembers of a project.',
  type: 'object',
  properties: {
    $schema: { description: 'Where editors find this schema.', type: 'string', examples: [operatorSchemaReference] },
    projectName: {
      description: 'The prefix of the names of all objects; <projectName>-system is the namespace of the operator.',
      type: 'string',
      minLength: 1,
      pattern: `^${dnsLabel}$`,
      examples: ['my-operator'],
    },
    cliVersion: {
      description:
        'The create-operator whose templates the project has; create-operator upgrade brings those of a newer one.',
      type: 'string',
      minLength: 1,
      examples: ['0.1.0'],
    },
    kubernetesVersion: {
      description: 'The oldest Kubernetes that the operator is for.',
      type: 'string',
      // From 1.34 on; parseKubernetesVersion says the same in its own words.
      pattern: '^v?1\\.(3[4-9]|[4-9][0-9]|[1-9][0-9]{2,})(\\.[0-9]+)?$',
      default: '1.34',
      examples: ['1.34'],
    },
    packageManager: {
      description: 'Who installs the dependencies; scripts, Makefile and CI speak in its commands.',
      type: 'string',
      enum: packageManagers,
      default: 'npm',
      examples: ['npm'],
    },
    workspace: {
      description:
        'Whether the project is a part of a workspace, which holds the lock file and the settings of the package manager.',
      type: 'boolean',
      default: false,
      examples: [true],
    },
    namespaced: {
      description:
        'Whether the operator works in single namespaces: Roles in place of ClusterRoles, WATCH_NAMESPACE is needed.',
      type: 'boolean',
      default: false,
      examples: [true],
    },
    multigroup: {
      description: 'Whether src/api and src/controllers have a folder for each API group.',
      type: 'boolean',
      default: false,
      examples: [true],
    },
    helm: {
      description: 'Whether the project has a Helm chart.',
      type: 'boolean',
      default: true,
      examples: [true],
    },
    kindRoles: {
      description:
        'Whether each kind gets roles for people, and whether the cluster roles admin, edit and view take these in.',
      enum: [true, false, 'aggregated'],
      default: true,
      examples: [true],
    },
    allowedTags: {
      description: 'JSDoc tags that are neither markers nor standard, and pass.',
      type: 'array',
      items: { type: 'string', examples: ['mytag'] },
      examples: [['mytag']],
    },
    resources: {
      description: 'The kinds of the project.',
      type: 'array',
      items: resource,
      examples: [[]],
    },
  },
};
