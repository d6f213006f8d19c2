import { posix } from 'node:path';

/** How a module imports another: relative, with `/`, and with the ending that Node.js needs. */
export function specifier(from: string, to: string): string {
  const relative = posix.relative(posix.dirname(from), to).replace(/\.ts$/, '.js');
  return relative.startsWith('.') ? relative : `./${relative}`;
}
