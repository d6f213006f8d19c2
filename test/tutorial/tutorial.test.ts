// Does what the tutorial of README.md says, line by line, with the packed tarballs as what the registry has.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pack } from '../../tools/pack.ts';
import { root, run, runChecked } from '../../tools/repository.ts';
import { findProgram } from '../conformance/kubernetes/programs.ts';
import { Running } from '../scaffold/project.ts';
import { startRegistry, type Registry } from './registry.ts';

const minute = 60_000;
const kubectl = await findProgram('kubectl');

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The code blocks of a section, in order. */
function blocksOf(section: string): Block[] {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const start = text.indexOf(`\n## ${section}\n`);
  const end = text.indexOf('\n## ', start + 1);
  return [...text.slice(start, end).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    text: code,
  }));
}

let folder: string;
let registry: Registry;
/** What `cd` and `export` change. */
let where: string;
let environment: Record<string, string | undefined>;
let dev: Running | undefined;
const printed = new Map<string, string>();

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-tutorial-')));
  const [upstream, cache] = await Promise.all(
    ['registry', 'cache'].map(async (name) => (await runChecked('npm', ['config', 'get', name])).trim()),
  );
  registry = await startRegistry(await pack(join(folder, 'tarballs')), upstream ?? '');
  // What npx installs goes away with the folder; what was downloaded before is used again.
  const ownCache = join(folder, 'cache');
  mkdirSync(ownCache);
  const downloads = join(cache ?? '', '_cacache');
  if (existsSync(downloads)) symlinkSync(downloads, join(ownCache, '_cacache'), 'junction');
  where = folder;
  environment = {
    npm_config_registry: registry.url,
    npm_config_replace_registry_host: 'never',
    npm_config_cache: ownCache,
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_yes: 'true',
    KUBEBUILDER_ASSETS: undefined,
    KUBECACHEDIR: join(folder, 'kubectl'),
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
  };
}, 5 * minute);

afterAll(async () => {
  await dev?.end('SIGTERM');
  registry?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}, minute);

/** Changes a file as the tutorial asks for. */
function edit(diff: string): void {
  for (const patch of parsePatch(diff)) {
    const file = join(where, patch.newFileName ?? '');
    const changed = applyPatch(readFileSync(file, 'utf8'), patch);
    if (changed === false) throw new Error(`README.md's change of ${patch.newFileName} does not fit`);
    writeFileSync(file, changed);
  }
}

/** Does one line as a shell would. */
async function type(line: string): Promise<void> {
  const shell = (script: string) => run('bash', ['-c', script], { cwd: where, env: environment });
  const changesFolder = /^cd (.+)$/.exec(line);
  const exported = /^export (\w+)=/.exec(line);
  if (changesFolder?.[1] !== undefined) {
    where = join(where, changesFolder[1]);
  } else if (exported?.[1] !== undefined) {
    environment[exported[1]] = (await shell(`${line}; printf %s "$${exported[1]}"`)).stdout;
  } else if (line.startsWith('npm run dev')) {
    const started = new Running('bash', ['-c', `exec ${line}`], where, { ...process.env, ...environment });
    dev = started;
    await vi.waitFor(() => expect(started.output).toContain('Starting workers'), { timeout: minute });
  } else {
    const { code, stdout, stderr } = await shell(line);
    expect(code, `$ ${line}\n${stdout}${stderr}`).toBe(0);
    printed.set(line, stdout);
  }
}

it.skipIf(kubectl === undefined)(
  `every line of the tutorial works${kubectl === undefined ? ' (skipped: there is no kubectl)' : ''}`,
  async () => {
    const blocks = blocksOf('Your first operator');
    expect(blocks.map(({ language }) => language)).toEqual(['sh', 'diff', 'sh', 'sh', 'sh', 'sh']);
    for (const { language, text } of blocks) {
      if (language === 'diff') edit(text);
      else for (const line of text.trim().split('\n')) await type(line);
    }
    expect(printed.get('kubectl get widgets -o wide')).toMatch(/^widget-sample +3 +True +widget-[-0-9a-f]{36} +\d+s$/m);
    expect(printed.get('kubectl explain widget.spec.parts')).toContain('parts are what it is made of.');
    expect(printed.get('npm run check')).toMatch(/(\d+) files \(\1 unchanged\)/);
  },
  5 * minute,
);
