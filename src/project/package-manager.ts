/** Who installs a project's dependencies. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export const packageManagers: readonly PackageManager[] = ['npm', 'pnpm', 'yarn', 'bun'];

/** How one speaks to a package manager. */
export interface PackageManagerCommands {
  /** Installs what `package.json` says. */
  readonly install: string;
  /** Installs what the lock file says, and fails where the two differ: for CI. */
  readonly cleanInstall: string;
  /** Stands before the name of a script. */
  readonly run: string;
  /** Stands before the name of a program of a dependency. */
  readonly exec: string;
  /** Stands before packages that shall be added; `addDev` for those of development. */
  readonly add: string;
  readonly addDev: string;
  readonly lockFile: string;
}

export const packageManagerCommands: Readonly<Record<PackageManager, PackageManagerCommands>> = {
  npm: {
    install: 'npm install',
    cleanInstall: 'npm ci',
    run: 'npm run',
    exec: 'npx',
    add: 'npm install',
    addDev: 'npm install --save-dev',
    lockFile: 'package-lock.json',
  },
  pnpm: {
    install: 'pnpm install',
    cleanInstall: 'pnpm install --frozen-lockfile',
    run: 'pnpm run',
    exec: 'pnpm exec',
    add: 'pnpm add',
    addDev: 'pnpm add --save-dev',
    lockFile: 'pnpm-lock.yaml',
  },
  yarn: {
    install: 'yarn install',
    cleanInstall: 'yarn install --immutable',
    run: 'yarn run',
    // Runs programs of dependencies in every version of yarn.
    exec: 'yarn run',
    add: 'yarn add',
    addDev: 'yarn add --dev',
    lockFile: 'yarn.lock',
  },
  bun: {
    install: 'bun install',
    cleanInstall: 'bun install --frozen-lockfile',
    run: 'bun run',
    exec: 'bunx',
    add: 'bun add',
    addDev: 'bun add --dev',
    lockFile: 'bun.lock',
  },
};
