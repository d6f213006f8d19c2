import type { ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';

/** An object type around another one. */
export interface Around {
  readonly type: ts.Type;
  readonly name: string;
  readonly path: string;
  readonly position: SourcePosition;
}

interface Inside {
  readonly around: readonly Around[];
  readonly path: string;
  readonly position: SourcePosition;
}

/** The way from the type at this index to itself. */
export function chainOf(place: Inside, again: number): string {
  const name = place.around[again]?.name ?? '';
  return `${wayOf(place.around.slice(again), place.path)}${name === '' ? '' : ` → ${name}`} (recursive)`;
}

/** What to say of a type that ends nowhere, though no type in it comes again: the way to where its generic starts to repeat. */
export function endlessChain(place: Inside): Inside & { readonly chain: string } {
  const { around } = place;
  const from = around.findIndex(
    ({ name }, index) => name !== '' && around.some((each, at) => at > index && each.name === name),
  );
  const first = around[from];
  const second = around.findIndex((each, index) => index > from && each.name === first?.name);
  const again = around[second];
  if (first === undefined || again === undefined) {
    return {
      ...place,
      path: shortPath(place.path),
      chain: `${shortPath(place.path)} lies ${around.length} types deep`,
    };
  }
  const chain = `${wayOf(around.slice(from, second), again.path)} → ${again.name} (with other type arguments each time)`;
  return { around, path: first.path, position: again.position, chain };
}

function wayOf(from: readonly Around[], path: string): string {
  const parts: string[] = [];
  from.forEach((outer, index) => {
    const next = from[index + 1]?.path ?? path;
    if (index === 0 && outer.path !== '') parts.push(outer.path);
    if (outer.name !== '') parts.push(outer.name);
    parts.push(next.slice(outer.path.length).replace(/^\./, ''));
  });
  return parts.join(' → ');
}

function shortPath(path: string): string {
  return path.length > 80 ? `${path.slice(0, 50)}...${path.slice(-20)}` : path;
}
