const flags = 'it is about flags, files or output of kubectl alone, whatever the server';
const configuration = 'it is about kubeconfig files, which kubectl reads and writes without a server';
const credentials =
  "it is about programs that give kubectl its credentials, and asks the suite's own server for nothing";

/** The functions of kubectl's suite that are not run, each with its reason. */
export const leftOut: Readonly<Record<string, string>> = {
  client_config_tests: configuration,
  convert_tests: 'kubectl-convert is a program of its own, and converts without a server',
  exec_credentials_interactive_tests: credentials,
  exec_credentials_tests: credentials,
  kubectl_config_set_cluster_tests: configuration,
  kubectl_config_set_credentials_tests: configuration,
  kubectl_config_set_tests: configuration,
  kubectl_help_tests: flags,
  kubectl_version_tests: flags,
  plugins_tests: 'it is about plugins of kubectl, which reach no server',
  swagger_tests:
    'it looks for descriptions in the documents of built-in kinds, which are published without: packed, they are 116 kB',
};
