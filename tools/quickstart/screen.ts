// How the quickstart shows things: short lines for 80 columns, colours only in a terminal.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';

const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const style = (format: 'bold' | 'dim' | 'green', text: string): string => (colours ? styleText(format, text) : text);

let step = 0;

/** Begins a numbered step. */
export function heading(text: string): void {
  step++;
  console.log(`\n${style('bold', `${step}. ${text}`)}`);
}

export function say(text: string): void {
  console.log(`   ${text}`);
}

/** Something that was looked up and is as it should be. */
export function fact(name: string, value: string): void {
  const line = `${name}: ${value}`;
  // A long value gets a line of its own.
  if (line.length <= 75) console.log(`   ${style('green', '✓')} ${line}`);
  else console.log(`   ${style('green', '✓')} ${name}:\n     ${value}`);
}

/** Shows a command as one would type it, in lines that fit into 80 columns. */
export function command(program: string, args: readonly string[] = []): void {
  console.log(`   ${style('green', '$')} ${shellLines(program, args).join(' \\\n       ')}`);
}

/** A command with its arguments quoted where a shell asks for it, in lines of at most 70 columns; an option stays with its value. */
export function shellLines(program: string, args: readonly string[]): string[] {
  const words: string[] = [];
  args.forEach((argument, index) => {
    const quoted = /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
    const isValue = index > 0 && args[index - 1]?.startsWith('-') === true && !argument.startsWith('-');
    if (isValue) words.push(`${words.pop() ?? ''} ${quoted}`);
    else words.push(quoted);
  });
  const lines = [program];
  for (const word of words) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (longer.length > 70) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Shows text a little to the right; what does not fit into 80 columns goes on in the next line. */
export function show(text: string): void {
  for (const line of text.trimEnd().split('\n').flatMap(wrapped)) console.log(style('dim', `   | ${line}`.trimEnd()));
}

/** A line in lines of at most 75 columns, broken at spaces where there are any. */
export function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > 75) {
    const space = rest.lastIndexOf(' ', 75);
    const end = space > rest.search(/\S/) ? space : 75;
    lines.push(rest.slice(0, end));
    rest = `    ${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

/** The files below a folder as a tree. */
export function tree(folder: string, skip: readonly string[]): string {
  const lines: string[] = [];
  const visit = (path: string, indent: string): void => {
    const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => !skip.includes(name));
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    entries.forEach((entry, index) => {
      const last = index === entries.length - 1;
      lines.push(`${indent}${last ? '└── ' : '├── '}${entry.name}${entry.isDirectory() ? '/' : ''}`);
      if (entry.isDirectory()) visit(join(path, entry.name), `${indent}${last ? '    ' : '│   '}`);
    });
  };
  visit(folder, '');
  return lines.join('\n');
}

/** The lines from the first that holds a text, at most a number of them; dots stand where lines are left out. */
export function excerpt(text: string, from: string, count: number): string {
  const lines = text.split('\n');
  const start = Math.max(
    0,
    lines.findIndex((line) => line.includes(from)),
  );
  const rest = lines.length > start + count ? ['...'] : [];
  return [...(start > 0 ? ['...'] : []), ...lines.slice(start, start + count), ...rest].join('\n');
}
