/** The functions of kubectl's suite that are not run, each with its reason. */
export const leftOut: Readonly<Record<string, string>> = {
  client_config_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  cluster_management_tests: 'it wants a node with what a kubelet and the controllers of nodes make of it',
  convert_tests: 'kubectl-convert is a program of its own',
  daemonset_history_tests:
    'it wants the history of revisions with the annotations that the controllers of a cluster copy into it',
  deployment_tests: 'does not pass yet: after rollbacks it wants the ReplicaSets that a controller manager leaves',
  exec_credentials_interactive_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  exec_credentials_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_config_set_cluster_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_config_set_credentials_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_config_set_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_create_kustomization_directory_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_debug_baseline_node_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_baseline_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_custom_profile_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_legacy_node_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_legacy_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_netadmin_node_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_netadmin_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_node_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_restricted_node_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_restricted_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_debug_warning_tests: 'it makes containers for debugging, and nothing runs them here',
  kubectl_delete_interactive_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_events_tests: 'it wants the events that the controller of cron jobs makes',
  kubectl_exec_pod_tests: 'nothing runs in pods here: there is no kubelet behind the server',
  kubectl_exec_resource_name_tests: 'nothing runs in pods here: there is no kubelet behind the server',
  kubectl_help_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_local_proxy_tests:
    'it is about how kubectl reaches servers and makes objects, not about what a server answers',
  kubectl_request_timeout_tests:
    'it is about how kubectl reaches servers and makes objects, not about what a server answers',
  kubectl_results_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kubectl_run_tests: 'it is about how kubectl reaches servers and makes objects, not about what a server answers',
  kubectl_version_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  kuberc_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  multi_resources_tests: 'it reads files from the network',
  nodes_tests: 'it wants a node with what a kubelet and the controllers of nodes make of it',
  plugins_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  pod_tests: 'does not pass yet: of a patch of the wrong type it wants the text of a decoder of Go',
  recursive_resources_tests:
    'does not pass yet: it replaces pending pods and follows rollouts, and there are no rollouts without running pods here',
  save_config_tests: 'it is about kubectl alone: its flags, files, plugins or output',
  statefulset_history_tests:
    'it wants the history of revisions with the annotations that the controllers of a cluster copy into it',
  swagger_tests: 'the built-in kinds are published without descriptions',
  template_output_tests:
    'it wants the history of revisions with the annotations that the controllers of a cluster copy into it',
  wait_tests: 'does not pass yet: it waits for the rollouts of a controller manager',
};

/** The functions that need the controllers of workloads; all others expect pods that stay pending. */
export const withWorkloads: readonly string[] = [
  'create_job_tests',
  'daemonset_tests',
  'job_tests',
  'kubectl_apply_deployments_tests',
  'rc_tests',
  'rs_tests',
  'stateful_set_tests',
];
