#!/usr/bin/env bash
# usage: drive.sh ROOT PORT NAME
# Runs one function of kubectl's own shell suite, `run_NAME`, of a copy of the Kubernetes module at ROOT, against the server at PORT.
# The token of the administrator is the one of the suite's own file of tokens. Exits with 1 when an assertion of the suite fails.
set -o errexit -o nounset -o pipefail
cd "$1"
export SECURE_API_PORT=$2 ALLOW_SKEW=1 TERM=xterm
# The suite adds what stands around the name.
name=${3%_tests}
export WHAT=$name
KUBE_TEMP=$(mktemp -d)
export KUBE_TEMP HOME=$KUBE_TEMP KUBECONFIG=$KUBE_TEMP/config KUBE_JUNIT_REPORT_DIR=$KUBE_TEMP/junit
trap 'rm -rf "$KUBE_TEMP"' EXIT
# shellcheck disable=SC1091 # files of the module
source hack/lib/init.sh
# shellcheck disable=SC1091
source hack/lib/test.sh
# shellcheck disable=SC1091
source test/cmd/legacy-script.sh
if [[ $3 != *_tests ]]; then eval "run_${3}_tests() { run_$3; }"; fi
# Variables of the suite's own setup, which starts servers of its own.
export SUPPORTED_RESOURCES='*' SED=sed CONTEXT=test
{
  kubectl config set-credentials test-admin --token admin-token
  kubectl config set-cluster local --insecure-skip-tls-verify --server "https://127.0.0.1:$SECURE_API_PORT"
  kubectl config set-context "$CONTEXT" --user test-admin --cluster local
  kubectl config use-context "$CONTEXT"
} >/dev/null
# In the whole suite no function starts in the default namespace, where the service of the server itself is.
kubectl create namespace first >/dev/null
kubectl config set-context "$CONTEXT" --namespace first >/dev/null
runTests
