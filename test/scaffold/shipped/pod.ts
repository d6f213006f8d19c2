// What the kubelet makes of the scaffold's Dockerfile and Deployment: the command, environment and files of the manager's container.
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { Manifest, TestEnvironment } from '../../../src/testing/index.ts';

/** What `ENTRYPOINT`, `COPY`, `ENV` and `USER` of the Dockerfile say. */
export interface ImageSpec {
  readonly entrypoint: readonly string[];
  /** The folder that files are copied to. */
  readonly workingDirectory: string;
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
}

/** Reads the instructions that the scaffold's Dockerfile has; one that is not known is an error. */
export function readDockerfile(text: string): ImageSpec {
  const image = {
    entrypoint: [] as string[],
    workingDirectory: '/',
    files: [] as string[],
    environment: {} as Record<string, string>,
    user: '',
  };
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [instruction = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    if (instruction === 'FROM') continue;
    else if (instruction === 'WORKDIR') image.workingDirectory = rest;
    else if (instruction === 'COPY') image.files.push(...words.slice(0, -1));
    else if (instruction === 'USER') image.user = rest;
    else if (instruction === 'ENV') image.environment[rest.split('=')[0] ?? ''] = rest.split('=').slice(1).join('=');
    else if (instruction === 'ENTRYPOINT') image.entrypoint = JSON.parse(rest) as string[];
    else throw new Error(`the Dockerfile has an instruction that this test does not know: ${line}`);
  }
  return image;
}

/** The members of a Deployment that the scaffold sets. */
interface Deployment extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly securityContext: { readonly runAsNonRoot: boolean };
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[];
      };
    };
  };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: {
    readonly readOnlyRootFilesystem: boolean;
    readonly allowPrivilegeEscalation: boolean;
    readonly capabilities: { readonly drop: readonly string[] };
  };
  readonly resources: { readonly limits: { readonly memory: string }; readonly requests: { readonly memory: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** A container that can be started. */
export interface PodSpec {
  readonly image: string;
  readonly namespace: string;
  readonly arguments: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Folders that are empty and can be written to. */
  readonly emptyFolders: readonly string[];
  /** The files of the ServiceAccount. */
  readonly serviceAccount: Readonly<Record<'token' | 'ca.crt' | 'namespace', string>>;
  readonly memoryLimit: string;
  /** Ports by their names, and the paths of the probes at the port `health`. */
  readonly ports: Readonly<Record<string, number>>;
  readonly probes: readonly string[];
}

/** The Deployment in a cluster, as a kubelet would run it here; its ports are free ones. */
export async function podOf(environment: TestEnvironment, namespace: string, name: string): Promise<PodSpec> {
  const answer = await environment.request({ path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}` });
  const { spec } = (answer.json() as Deployment).spec.template;
  const [container, ...others] = spec.containers;
  if (container === undefined || others.length > 0) throw new Error('the Deployment has not just one container');
  const { runAsNonRoot } = spec.securityContext;
  const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext;
  if (!runAsNonRoot || !readOnlyRootFilesystem || allowPrivilegeEscalation || capabilities.drop[0] !== 'ALL') {
    throw new Error('the container is not restricted');
  }
  const ports: Record<string, number> = {};
  let args = [...container.args];
  for (const { name: port, containerPort } of container.ports) {
    const free = await freePort();
    ports[port] = free;
    args = args.map((argument) => argument.replace(new RegExp(`=:${containerPort}$`), `=127.0.0.1:${free}`));
  }
  return {
    image: container.image,
    namespace,
    arguments: args,
    workingDirectory: container.workingDir,
    environment: {
      ...Object.fromEntries(container.env.map((variable) => [variable.name, valueOf(variable, namespace)])),
      KUBERNETES_SERVICE_HOST: new URL(environment.url).hostname,
      KUBERNETES_SERVICE_PORT: new URL(environment.url).port,
    },
    emptyFolders: container.volumeMounts.map(({ name: mount, mountPath }) => {
      const volume = spec.volumes.find((candidate) => candidate.name === mount);
      if (volume?.emptyDir === undefined) throw new Error(`the volume ${mount} is no emptyDir`);
      return mountPath;
    }),
    serviceAccount: {
      token: await tokenOf(environment, namespace, spec.serviceAccountName),
      'ca.crt': environment.caCertificate,
      namespace,
    },
    memoryLimit: container.resources.limits.memory,
    ports,
    probes: [container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.path),
  };
}

function valueOf({ name, value, valueFrom }: Container['env'][number], namespace: string): string {
  if (value !== undefined) return value;
  if (valueFrom?.fieldRef?.fieldPath === 'metadata.namespace') return namespace;
  throw new Error(`the variable ${name} has no value that this test knows`);
}

/** A token of a ServiceAccount from the API server, as the kubelet gets one. */
export async function tokenOf(environment: TestEnvironment, namespace: string, name: string): Promise<string> {
  const answer = await environment.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  });
  if (answer.status !== 201) throw new Error(`no token for ${name}: ${answer.text}`);
  return (answer.json() as { readonly status: { readonly token: string } }).status.token;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
