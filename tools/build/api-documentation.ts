import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const note =
  '// The comments are those of Kubernetes: Copyright The Kubernetes Authors, licensed under the Apache License, Version 2.0.\n';

/**
 * Puts Kubernetes' own documentation into the declarations of its types in `<runtime>/dist/apis`, taken from the declarations of
 * `@kubernetes/client-node` in `models`: editors show it, and the sources do not hold it. A declaration that has it is left as it is.
 * Types and members that the client does not know have none.
 */
export function documentApis(runtime: string, models: string): void {
  for (const path of globSync('dist/apis/*/*.generated.d.ts', { cwd: runtime })) {
    const file = join(runtime, path);
    const text = readFileSync(file, 'utf8');
    if (text.startsWith(note)) continue;
    const group = basename(dirname(path));
    const version = basename(path).replace('.generated.d.ts', '');
    writeFileSync(file, `${note}${documented(text, (name) => commentsOf(models, group, version, name))}`);
  }
}

/** The comments of a type: its own under the empty name, and those of its members. */
type Comments = ReadonlyMap<string, string>;

/** A declaration file as the compiler writes it, with comments in front of interfaces and their members. */
export function documented(text: string, commentsOf: (name: string) => Comments): string {
  let comments: Comments = new Map();
  const lines = text.split('\n').flatMap((line) => {
    const type = /^export (?:interface|type) (\w+)/.exec(line)?.[1];
    const member = /^ {4}'?([\w$-]+)'?\??: /.exec(line)?.[1];
    if (type !== undefined) comments = commentsOf(type);
    const comment = type === undefined ? member && comments.get(member) : comments.get('');
    if (comment === undefined || comment === '') return [line];
    const indent = type === undefined ? '    ' : '';
    return [`${indent}/** ${comment.replaceAll('\n', `\n${indent} * `)} */`, line];
  });
  return lines.join('\n');
}

/** `V1PodSpec`, or `CoreV1Event` where several groups have a type of the name. */
function commentsOf(models: string, group: string, version: string, name: string): Comments {
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const candidates = [`${upper(group)}${upper(version)}${name}`, `${upper(version)}${name}`];
  const found = candidates.map((candidate) => join(models, `${candidate}.d.ts`)).find((file) => existsSync(file));
  return found === undefined ? new Map() : readComments(readFileSync(found, 'utf8'));
}

/** The comments of a class of the client's and of its members, by name. */
export function readComments(text: string): Comments {
  const comments = new Map<string, string>();
  const commented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export declare class \w+|'([^']+)'\??:)/g;
  for (const [, raw = '', member = ''] of text.matchAll(commented)) {
    const lines = raw.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
    // The client puts an underscore in front of words of the language, and a backslash in front of quotes.
    const comment = lines
      .join('\n')
      .trim()
      .replace(/\\(["'])/g, '$1');
    comments.set(member.replace(/^_/, ''), comment);
  }
  return comments;
}
