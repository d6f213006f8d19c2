// create-operator rbac, and the check of generate, in a scaffolded project.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WidgetProject } from './widget-project.ts';

const controller = 'src/controllers/widget-controller.ts';
const main = "@Rbac({ groups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'watch', 'patch'] })\n";
const status = "@Rbac({ groups: ['example.com'], resources: ['widgets/status'], verbs: ['patch'] })\n";

let project: WidgetProject;
let original: string;
beforeAll(async () => {
  project = await WidgetProject.create();
  original = project.read(controller);
  expect(original).toContain(main + status);
}, 120_000);
beforeEach(() => {
  project.edit(controller, () => original);
});
afterAll(() => project?.remove());

const line = (text: string): number => place(text, '').line;

/** Where `name` stands in the first occurrence of `text` in the controller. */
function place(text: string, name: string): { readonly line: number; readonly column: number } {
  const source = project.read(controller);
  const offset = source.indexOf(text) + text.indexOf(name);
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const at = (text: string, name: string): string => {
  const { line: row, column } = place(text, name);
  return `${controller}:${row}:${column}`;
};

describe('create-operator rbac', () => {
  it('prints each permission with its reasons', async () => {
    const { code, stdout, stderr } = await project.run('rbac');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const block = stdout.split('\n\n').find((each) => each.startsWith('widgets.example.com\n'));
    expect(block?.split('\n').map((each) => each.replaceAll(/ +/g, ' '))).toEqual([
      'widgets.example.com',
      ` get ${at('client.get(Widget', 'get')} client.get(Widget): a live read where the cache is behind`,
      ` list ${at('client.get(Widget', 'get')} client.get(Widget): the cache`,
      ` ${at('.for(Widget', 'for')} for(Widget): the cache`,
      ` watch ${at('client.get(Widget', 'get')} client.get(Widget): the cache`,
      ` ${at('.for(Widget', 'for')} for(Widget): the cache`,
      ` patch ${at('await removeFinalizer(', 'removeFinalizer')} removeFinalizer(Widget): the finalizer`,
      ` ${at('await addFinalizer(', 'addFinalizer')} addFinalizer(Widget): the finalizer`,
    ]);
  });

  it('marks what is not granted and what is not used', async () => {
    project.edit(controller, (text) => text.replace(main, main.replace("'patch'", "'delete'")));
    const { code, stdout } = await project.run('rbac');
    expect(code).toBe(0);
    expect(stdout).toMatch(/patch +\S+ +removeFinalizer\(Widget\): the finalizer - NOT GRANTED\n/);
    expect(stdout).toMatch(new RegExp(`delete +${controller}:${line("'delete'")}:1 +granted, not used\n`));
  });

  it('prints the same as JSON', async () => {
    const { code, stdout } = await project.run('rbac', '--format', 'json');
    expect(code).toBe(0);
    const { resources, unresolved, diagnostics } = JSON.parse(stdout) as {
      resources: { group: string; resource: string; verbs: object[] }[];
      unresolved: unknown[];
      diagnostics: unknown[];
    };
    expect({ unresolved, diagnostics }).toEqual({ unresolved: [], diagnostics: [] });
    expect(resources.find(({ resource }) => resource === 'widgets/status')).toEqual({
      group: 'example.com',
      resource: 'widgets/status',
      verbs: [
        {
          verb: 'patch',
          used: true,
          granted: true,
          reasons: [
            {
              text: 'client.updateStatus(Widget)',
              file: controller,
              ...place('client.updateStatus(', 'updateStatus'),
            },
          ],
          grantedBy: [{ file: controller, line: line(status), column: 1 }],
        },
      ],
    });
  });

  it('prints the role that would do', async () => {
    const { code, stdout } = await project.run('rbac', '--format', 'yaml');
    expect(code).toBe(0);
    expect(stdout).toBe(project.read('config/rbac/role.yaml'));
  });

  it('passes a check where all is used and granted', async () => {
    expect(await project.run('rbac', '--check')).toEqual({
      code: 0,
      stdout: 'what is used is granted, and nothing else\n',
      stderr: '',
    });
  });

  it('fails a check for what is missing, and warns of what is too much', async () => {
    project.edit(controller, (text) => text.replace(main, main.replace("'patch'", "'delete'")));
    for (const argv of [
      ['rbac', '--check'],
      ['generate', '--check'],
    ]) {
      const { code, stderr } = await project.run(...argv);
      expect(code).toBe(1);
      expect(stderr).toContain(
        `${at('await addFinalizer(', 'addFinalizer')} - error CO2120: addFinalizer(Widget) needs patch on widgets.example.com, which is not granted\n`,
      );
      expect(stderr).toContain(
        `${controller}:${line("'delete'")}:1 - warning CO2121: delete on widgets.example.com: granted and not used\n`,
      );
    }
  });

  it('remembers what it has read, and reads again what has changed', async () => {
    const memory = 'node_modules/.cache/create-operator/rbac.json';
    const first = await project.run('rbac');
    // What it remembers is what it says.
    project.edit(memory, (text) => text.replaceAll('client.get(Widget)', 'what was remembered'));
    expect((await project.run('rbac')).stdout).toContain('what was remembered');
    project.edit(controller, (text) => `${text}\n`);
    expect(await project.run('rbac')).toEqual(first);
    project.edit(memory, (text) => text.slice(0, -9));
    expect(await project.run('rbac')).toEqual(first);
    project.edit(controller, (text) => text.slice(0, -1));
  });

  it('needs the hand-written roles that leader election has', async () => {
    project.edit('config/rbac/leader_election_role_binding.yaml', (text) =>
      text.replace('leader-election-role\n', 'nobody\n'),
    );
    const { code, stderr } = await project.run('rbac', '--check');
    project.edit('config/rbac/leader_election_role_binding.yaml', (text) =>
      text.replace('nobody\n', 'leader-election-role\n'),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/src\/main\.ts:\d+:\d+ - error CO2120: leaderElection needs get, create, update on leases/);
  });

  it('warns of roles written by hand that are no YAML, and leaves generated ones to the markers', async () => {
    for (const [file, warns] of [
      ['config/rbac/leader_election_role.yaml', true],
      ['config/rbac/role.yaml', false],
    ] as const) {
      const before = project.read(file);
      project.edit(file, (text) => `${text}  ]: [\n`);
      const { stderr } = await project.run('rbac', '--check');
      project.edit(file, () => before);
      expect(stderr.includes(`${file}:`) && stderr.includes('warning CO2124: the file is no YAML'), file).toBe(warns);
      if (!warns) expect(stderr).toBe('');
    }
  });

  it('warns of a Role that is bound to nobody', async () => {
    const inZoo = main.replace(' })', ", namespace: 'zoo' })");
    project.edit(controller, (text) => text.replace(main, main + inZoo));
    const { code, stderr } = await project.run('rbac', '--check');
    expect(code).toBe(0);
    expect(stderr).toContain('warning CO2125: the Role manager-role in zoo is bound to no ServiceAccount');
    expect(stderr).not.toContain('the ClusterRole manager-role is bound');
  });

  it.each([
    ['decorators', (text: string) => text.replace(main, ''), `${status}${main}`],
    [
      'decorators that are not imported',
      (text: string) =>
        text.replace(main + status, '').replace("import { Rbac } from 'operator-runtime/markers';\n", ''),
      `${main}${status}`,
    ],
    [
      'line ends of Windows',
      (text: string) => text.replace(main, '').replaceAll('\n', '\r\n'),
      `${status}${main}`.replaceAll('\n', '\r\n'),
    ],
  ])('writes what is missing: %s', async (_title, change, expected) => {
    project.edit(controller, change);
    const before = project.read(controller);
    const dry = await project.run('rbac', '--write', '--stdout');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain('+@Rbac(');
    expect(project.read(controller)).toBe(before);

    expect(await project.run('rbac', '--write')).toEqual({
      code: 0,
      stdout: `changed ${controller}\nrun create-operator generate\n`,
      stderr: '',
    });
    const after = project.read(controller);
    expect(after).toContain(expected);
    expect(after.match(/operator-runtime\/markers/g)).toHaveLength(1);
    expect(await project.run('rbac', '--check')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.run('rbac', '--write')).toMatchObject({ code: 0, stdout: 'nothing is missing\n' });
  });

  it('writes tags where a class has tags', async () => {
    project.edit(controller, (text) =>
      text
        .replace(
          `/** Makes the outside world as each Widget says. */\n${main}${status}`,
          "/**\n * Makes Widgets.\n *\n * @rbac { groups: ['example.com'], resources: ['widgets'], verbs: ['get'] }\n */\n",
        )
        .replace("import { Rbac } from 'operator-runtime/markers';\n", ''),
    );
    expect((await project.run('rbac', '--write')).code).toBe(0);
    expect(project.read(controller)).toContain(
      " * @rbac { groups: ['example.com'], resources: ['widgets'], verbs: ['get'] }\n" +
        " * @rbac { groups: ['example.com'], resources: ['widgets'], verbs: ['list', 'watch', 'patch'] }\n" +
        " * @rbac { groups: ['example.com'], resources: ['widgets/status'], verbs: ['patch'] }\n */\nexport class",
    );
    expect((await project.run('rbac', '--check')).code).toBe(0);
  });

  it('lists what cannot be resolved', async () => {
    project.edit(controller, (text) =>
      text.replace(
        '    // 2. ',
        "    await (client as unknown as { delete(what: string): Promise<void> }).delete('all');\n    // 2. ",
      ),
    );
    expect((await project.run('rbac')).stdout).toMatch(
      /not resolved\n {2}src\/controllers\/widget-controller\.ts:\d+:12 {2}client: it is passed on as unknown/,
    );
    const { code, stderr } = await project.run('rbac', '--check');
    expect(code).toBe(0);
    expect(stderr).toContain('warning CO2122: it is not known what it needs for client: it is passed on as unknown');
  });

  it.each([
    [['--check', '--write'], '--check writes nothing'],
    [['--write', '--format', 'json'], '--write goes with --format text only'],
    [['--source', 'nothing/*.ts'], 'no TypeScript source matches'],
    [['--tsconfig', 'nothing.json'], 'there is no file'],
    [['--format', 'xml'], "--format <format>' argument 'xml' is invalid"],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await project.run('rbac', ...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('compares nothing while the sources have errors', async () => {
    project.edit(controller, (text) => text.replace("resources: ['widgets/status']", "resources: ['widget/status']"));
    const { code, stderr } = await project.run('rbac', '--check');
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean "widgets/status"?');
    expect(stderr).not.toContain('CO2120');
  });
});
