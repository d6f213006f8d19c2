/** What a kubeconfig file says about one user on one server. */
export interface KubeconfigContents {
  readonly server: string;
  /** PEM; `''` for plain HTTP. */
  readonly caCertificate: string;
  readonly user: string;
  readonly token: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly namespace?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The text of a kubeconfig file. JSON is YAML: every client reads it. */
export function kubeconfigText(contents: KubeconfigContents): string {
  const { server, caCertificate, user, token, clientCertificate, namespace } = contents;
  const credentials =
    clientCertificate === undefined
      ? { token }
      : {
          'client-certificate-data': base64(clientCertificate.certificate),
          'client-key-data': base64(clientCertificate.key),
        };
  const name = 'create-operator';
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${name}`,
    '  cluster:',
    `    server: ${server}`,
    ...(caCertificate === '' ? [] : [`    certificate-authority-data: ${base64(caCertificate)}`]),
    'users:',
    `- name: ${JSON.stringify(user)}`,
    '  user:',
    ...Object.entries(credentials).map(([key, value]) => `    ${key}: ${value}`),
    'contexts:',
    `- name: ${name}`,
    '  context:',
    `    cluster: ${name}`,
    `    user: ${JSON.stringify(user)}`,
    `    namespace: ${namespace ?? 'default'}`,
    `current-context: ${name}`,
    '',
  ].join('\n');
}
