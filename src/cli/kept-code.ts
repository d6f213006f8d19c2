import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { writeCacheFile } from '../output/cache-file.ts';

/** Loads a CommonJS module by its absolute path, and gives what it exports. */
export type LoadModule = (file: string) => unknown;

/** A script that was compiled, and the file that keeps its code. */
interface Compiled {
  readonly script: Script;
  readonly keptIn: string | undefined;
  /** Whether the code of an earlier run was taken. */
  readonly reused: boolean;
}

/**
 * Loads CommonJS modules with the code that V8 left at the end of an earlier run. Node's compile cache keeps what is compiled when a
 * module is loaded; most functions are compiled when they are first called, and that takes a large part of a run of the compiler. The
 * code is kept where Node's compile cache is, and nowhere when that is switched off (`NODE_DISABLE_COMPILE_CACHE=1`).
 */
export class KeptCode {
  readonly #folder: string | undefined;
  readonly #use: string;
  readonly #compiled: Compiled[] = [];

  /** `use` names what the process does: each use calls other functions. */
  constructor(use: string, folder: string | undefined) {
    this.#use = use;
    this.#folder = folder;
  }

  /** What the module exports. Its text sees `loadModule`, which loads others in the same way, beside what CommonJS gives. */
  load(file: string): unknown {
    const bytes = readFileSync(file);
    const keptIn = this.#fileFor(file, bytes);
    const cachedData = keptIn === undefined ? undefined : readKept(keptIn);
    const wrapped = `(function (exports, require, module, __filename, __dirname, loadModule) {${bytes.toString('utf8')}\n})`;
    const script = new Script(wrapped, {
      filename: file,
      ...(cachedData === undefined ? {} : { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    const reused = cachedData !== undefined && script.cachedDataRejected !== true;
    this.#compiled.push({ script, keptIn, reused });
    const module = { exports: {} as unknown };
    const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
    const loadModule: LoadModule = (other) => this.load(other);
    run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file), loadModule);
    return module.exports;
  }

  /**
   * Keeps the code for the next run: called at the end of a process. Nothing is kept of a run that loaded one module only, for it did
   * little, and what it called is little of what others call.
   */
  keep(): void {
    if (this.#compiled.length < 2) return;
    for (const { script, keptIn, reused } of this.#compiled) {
      if (!reused && keptIn !== undefined) writeKept(keptIn, script.createCachedData());
    }
  }

  /** V8 looks at the length of the text only; the name says the rest. */
  #fileFor(file: string, bytes: Buffer): string | undefined {
    if (this.#folder === undefined) return undefined;
    const name = `create-operator-${this.#use}-${basename(file)}-${bytes.length}-${crc32(bytes).toString(16)}`;
    return join(this.#folder, name);
  }
}

const checksumBytes = 4;

/** Undefined where nothing is kept, or not all of it. */
function readKept(path: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    // The first run of its kind.
    return undefined;
  }
  if (bytes.length <= checksumBytes) return undefined;
  const code = bytes.subarray(checksumBytes);
  return bytes.readUInt32LE(0) === crc32(code) ? code : undefined;
}

function writeKept(path: string, code: Buffer): void {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(code), 0);
  writeCacheFile(path, Buffer.concat([checksum, code]));
}
