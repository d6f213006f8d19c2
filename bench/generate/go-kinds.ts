import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/repository.ts';
import { group, membersOfKind } from './kinds.ts';

/** Writes a Go module whose package `api/v1` has the kinds of `writeKinds`, a file for each, as kubebuilder lays them out. */
export function writeGoKinds(folder: string, count: number): void {
  const api = join(folder, 'api', 'v1');
  mkdirSync(api, { recursive: true });
  // The modules that the Go types of this fixture need are those that these need: the apis and their machinery.
  for (const file of ['go.mod', 'go.sum']) cpSync(join(root, 'fixtures/compute/go', file), join(folder, file));
  writeFileSync(join(api, 'groupversion_info.go'), groupVersion);
  for (let index = 0; index < count; index++) {
    writeFileSync(join(api, `kind${index}_types.go`), kind(index));
  }
}

const groupVersion = [
  '// Package v1 has many kinds.',
  '// +kubebuilder:object:generate=true',
  `// +groupName=${group}`,
  'package v1',
  '',
].join('\n');

function kind(index: number): string {
  const members = Array.from({ length: membersOfKind }, (_, member) => [
    '',
    `\t// text${member} is a text of kind ${index}.`,
    '\t// +kubebuilder:validation:MinLength=1',
    '\t// +kubebuilder:validation:MaxLength=63',
    '\t// +optional',
    `\tText${member} string \`json:"text${member},omitempty"\``,
    '',
    `\t// +kubebuilder:validation:Minimum=${member}`,
    '\t// +optional',
    `\tNumber${member} int32 \`json:"number${member},omitempty"\``,
  ]);
  return [
    'package v1',
    '',
    'import (',
    '\tcorev1 "k8s.io/api/core/v1"',
    '\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"',
    ')',
    '',
    `// Kind${index}Spec is the wanted state.`,
    `type Kind${index}Spec struct {`,
    '\t// selector finds the pods.',
    '\tSelector metav1.LabelSelector `json:"selector"`',
    '',
    '\t// template is the pod to run.',
    '\tTemplate corev1.PodTemplateSpec `json:"template"`',
    ...members.flat(),
    '}',
    '',
    `// Kind${index}Status is the seen state.`,
    `type Kind${index}Status struct {`,
    '\t// conditions say how it is.',
    '\t// +listType=map',
    '\t// +listMapKey=type',
    '\t// +optional',
    '\tConditions []metav1.Condition `json:"conditions,omitempty"`',
    '}',
    '',
    `// Kind${index} is one of many.`,
    '// +kubebuilder:object:root=true',
    '// +kubebuilder:subresource:status',
    '// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`',
    `type Kind${index} struct {`,
    '\tmetav1.TypeMeta   `json:",inline"`',
    '\tmetav1.ObjectMeta `json:"metadata,omitempty"`',
    '',
    `\tSpec   Kind${index}Spec   \`json:"spec"\``,
    '\t// +optional',
    `\tStatus Kind${index}Status \`json:"status,omitempty"\``,
    '}',
    '',
  ].join('\n');
}
