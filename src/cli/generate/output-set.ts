import { chartFolders } from '../../generate/chart/chart.ts';
import { isClient } from '../../generate/client/client.ts';
import { webhookKinds } from '../../generate/webhook/manifests.ts';
import type { Outputs } from '../../generate/generate.ts';
import type { OutputFile } from '../../model/index.ts';
import type { OutputFolder, OutputSet } from '../../output/output-set.ts';

const rbacKinds = ['ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'];

/** The folders of a run with what each owns: several outputs may share one. */
export function outputSet(outputs: Outputs, root: string, files: readonly OutputFile[]): OutputSet {
  const folders: OutputFolder[] = [];
  if (outputs.crdDir !== undefined) {
    folders.push({
      path: outputs.crdDir,
      depth: 0,
      owns: hasKind(['CustomResourceDefinition']),
      replacesForeign: true,
    });
  }
  if (outputs.rbacDir !== undefined) {
    folders.push({ path: outputs.rbacDir, depth: 0, owns: hasKind(rbacKinds), replacesForeign: true });
  }
  if (outputs.webhookDir !== undefined) {
    folders.push({ path: outputs.webhookDir, depth: 0, owns: hasKind(webhookKinds), replacesForeign: true });
  }
  if (outputs.clientDir !== undefined) {
    // <version>/<kind>.ts and <group>/<version>/<kind>.ts
    folders.push({ path: outputs.clientDir, depth: 2, owns: isClient, replacesForeign: false });
  }
  if (outputs.chartDir !== undefined) {
    for (const folder of Object.values(chartFolders)) {
      folders.push({
        path: `${outputs.chartDir}/templates/${folder}`,
        depth: 0,
        owns: () => true,
        replacesForeign: true,
      });
    }
  }
  return { root, folders, files };
}

function hasKind(kinds: readonly string[]): (content: string) => boolean {
  return (content) => {
    const kind = /^kind: (\S+)\r?$/m.exec(content)?.[1];
    return kind !== undefined && kinds.includes(kind);
  };
}
