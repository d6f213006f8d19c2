import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { download, type DownloadLimits } from './download.ts';

/** A text with definitions, and what people call the place that it comes from. */
export interface Input {
  readonly name: string;
  readonly text: string;
}

/** The largest release manifests have some 3 MB. */
export const inputLimits: DownloadLimits = { bytes: 64 * 1024 * 1024, milliseconds: 60_000 };

/**
 * Reads what the user named: files, folders (their YAML and JSON files, not those below), https URLs, `-`.
 *
 * @throws UsageError
 */
export async function readInputs(sources: readonly string[], io: Io, limits = inputLimits): Promise<Input[]> {
  const inputs: Input[] = [];
  for (const source of sources) inputs.push(...(await readSource(source, io, limits)));
  return inputs;
}

async function readSource(source: string, io: Io, limits: DownloadLimits): Promise<Input[]> {
  if (source === '-') {
    try {
      return [{ name: 'standard input', text: await io.readInput(limits.bytes) }];
    } catch (error) {
      if (error instanceof RangeError) throw new UsageError(error.message);
      throw error;
    }
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) return [{ name: source, text: await download(source, limits) }];
  return filesOf(source, io.folder).map((file) => ({ name: file, text: readText(resolve(io.folder, file), file) }));
}

function filesOf(source: string, folder: string): string[] {
  const path = resolve(folder, source);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`there is no file ${source}`);
  if (!stats.isDirectory()) return [source];
  const files = readdirSync(path)
    .filter((name) => /\.(ya?ml|json)$/i.test(name) && !name.startsWith('.'))
    .sort();
  if (files.length === 0) {
    throw new UsageError(
      `there is no YAML and no JSON in the folder ${source}`,
      'name the files, or the folders that they lie in: folders below are not searched',
    );
  }
  return files.map((name) => join(source, name));
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`${name} cannot be read: ${reason}`);
  }
}
