// node hack/set-image.mjs IMAGE: writes the image of the manager into config/manager/kustomization.yaml.
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'config/manager/kustomization.yaml';
const [image = ''] = process.argv.slice(2);
// A tag follows the last slash: a colon before it belongs to the registry's port.
const match = /^((?:[^\s@]*\/)?[^\s:@/]+)(?::([\w.-]+)|@(sha256:[0-9a-f]{64}))?$/.exec(image);
if (match === null) {
  console.error(`${JSON.stringify(image)} is no image: write IMG=registry.example.com/name:tag`);
  process.exit(2);
}
const [, name, tag = 'latest', digest] = match;
const text = readFileSync(file, 'utf8');
const entry = /^( *)- name: controller\r?\n(?:\1  \S.*\r?\n?)*/m;
if (!entry.test(text)) {
  console.error(`${file}: "images" has no entry with the name controller`);
  process.exit(1);
}
const version = digest === undefined ? `newTag: ${JSON.stringify(tag)}` : `digest: ${digest}`;
writeFileSync(
  file,
  text.replace(entry, (_, indent) => `${indent}- name: controller\n${indent}  newName: ${name}\n${indent}  ${version}\n`),
);
