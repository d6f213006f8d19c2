{{/* The name of the operator, as labels carry it. */}}
{{- define "chart.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* What all names begin with: short enough for the longest ending. */}}
{{- define "chart.fullname" -}}
{{- $name := include "chart.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 28 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 28 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 28 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "chart.labels" -}}
app.kubernetes.io/name: {{ include "chart.name" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* The labels that pods are found by. */}}
{{- define "chart.selectorLabels" -}}
control-plane: controller-manager
app.kubernetes.io/name: {{ include "chart.name" . }}
{{- end }}

{{/* "Cluster" where roles count in all namespaces, else "": Chart.yaml says of which kind the operator is. */}}
{{- define "chart.clusterPrefix" -}}
{{- if ne (index (.Chart.Annotations | default dict) "create-operator/namespaced" | default "false") "true" }}Cluster{{ end }}
{{- end }}
