import type { ProjectChoices } from './template-data.ts';

export const chartFilePath = 'dist/chart/Chart.yaml';

/**
 * The chart's `Chart.yaml`: the one file of it that depends on the project, so that all others are copied byte for byte. Its annotation
 * tells the templates whether roles are for all namespaces.
 */
export function chartFile({ projectName, namespaced }: Pick<ProjectChoices, 'projectName' | 'namespaced'>): string {
  return `apiVersion: v2
name: ${projectName}
description: The operator ${projectName}
type: application
version: 0.1.0
appVersion: "0.1.0"
annotations:
  create-operator/namespaced: "${namespaced}"
`;
}
