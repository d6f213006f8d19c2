import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Removes the source maps of what is generated: a table of kinds has no line to stop at, and the maps are larger than the tables. */
export function removeMapsOfGenerated(folder: string): void {
  const dist = join(folder, 'dist');
  for (const map of globSync('**/*.generated.js.map', { cwd: dist })) {
    const script = join(dist, map.slice(0, -'.map'.length));
    writeFileSync(script, readFileSync(script, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
    rmSync(join(dist, map));
  }
}
