import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isRecord } from '../client/json.ts';
import type { Impersonation } from './types.ts';

/** What client-node leaves out of a kubeconfig's user. */
export interface UserExtras {
  /** Absolute; takes precedence over a token, as in client-go. */
  readonly tokenFile?: string;
  readonly impersonate?: Impersonation;
}

/** Reads these members of a user from the first of the files that has it. Files that are missing are passed over, as by client-go. */
export async function readUserExtras(
  files: readonly string[],
  name: string,
  parse: (text: string) => unknown,
): Promise<UserExtras> {
  for (const file of files) {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch {
      continue;
    }
    const config = parse(text);
    const users = isRecord(config) && Array.isArray(config['users']) ? (config['users'] as unknown[]) : [];
    const entry = users.filter(isRecord).find((user) => user['name'] === name);
    if (entry !== undefined) return isRecord(entry['user']) ? extrasOf(entry['user'], dirname(file)) : {};
  }
  return {};
}

function extrasOf(user: Record<string, unknown>, directory: string): UserExtras {
  const tokenFile = user['tokenFile'];
  const { as: name, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  const impersonate: Impersonation | undefined =
    typeof name === 'string' && name !== ''
      ? {
          user: name,
          ...(typeof uid === 'string' ? { uid } : {}),
          ...(Array.isArray(groups) ? { groups: groups.map(String) } : {}),
          ...(isRecord(extra) ? { extra: extraOf(extra) } : {}),
        }
      : undefined;
  return {
    ...(typeof tokenFile === 'string' && tokenFile !== '' ? { tokenFile: resolve(directory, tokenFile) } : {}),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

function extraOf(extra: Record<string, unknown>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [key, Array.isArray(values) ? values.map(String) : [String(values)]]),
  );
}
