import { setTimeout as sleep } from 'node:timers/promises';
import type { RestResponse } from '../../src/testing/rest.ts';

/** One request of a sequence; bodies and paths may depend on the answers so far. */
export interface Step {
  readonly method?: string;
  readonly path: string | ((answers: readonly unknown[]) => string);
  readonly body?: unknown;
  /** Makes the body of the answers so far. */
  readonly make?: (answers: readonly unknown[]) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
  /** The member of the answer that is compared; all of it by default. */
  readonly only?: string;
  /** Asks again until the answer is so, where controllers of the real server come in between. */
  readonly until?: (answer: unknown) => boolean;
}

/** Requests that stand on each other, in a namespace of their own. */
export interface Sequence {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** An answer without what differs from run to run. */
export interface Answer {
  readonly status: number;
  readonly warnings?: string;
  readonly body: unknown;
}

export const jsonPatch = { 'Content-Type': 'application/json-patch+json' };
export const mergePatch = { 'Content-Type': 'application/merge-patch+json' };
export const strategicMergePatch = { 'Content-Type': 'application/strategic-merge-patch+json' };
export const apply = { 'Content-Type': 'application/apply-patch+yaml' };
export const table = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

type Plain = { [name: string]: unknown };

const uids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Takes away uids, times, versions and other things of the moment, and keeps how versions of one object follow each other. */
export class Normalizer {
  readonly #versions = new Map<string, string[]>();

  answer(response: RestResponse): Answer {
    let body: unknown = response.text;
    try {
      body = this.#value(response.json(), '');
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    const warnings = response.headers['warning'];
    return { status: response.status, ...(warnings !== undefined && { warnings: String(warnings) }), body };
  }

  /** The real server walks maps as they come: several errors have no order. */
  #unordered(status: Plain): Plain {
    const details = status['details'] as
      { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] } | undefined;
    const causes = details?.causes;
    if (causes === undefined || causes.length < 2 || typeof status['message'] !== 'string') return status;
    const key = (cause: { readonly field?: string; readonly message?: string }): string =>
      `${cause.field ?? ''}: ${cause.message ?? ''}`;
    const sorted = [...causes].sort((left, right) => (key(left) < key(right) ? -1 : 1));
    const message = status['message'].replace(/ is invalid: \[.*\]$/s, ' is invalid: [...]');
    return { ...status, message, details: { ...details, causes: sorted } };
  }

  #value(value: unknown, name: string): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#value(item, ''));
      // Managers stand in the order of times, which say nothing here; rules come from a map.
      const unordered = name === 'managedFields' || name === 'resourceRules' || name === 'nonResourceRules';
      return unordered ? items.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)) : items;
    }
    if (typeof value === 'string') return normalizeText(value, name);
    if (typeof value !== 'object' || value === null) return value;
    const source = this.#unordered(value as Plain);
    const result: Plain = {};
    for (const [key, inner] of Object.entries(source).sort(([left], [right]) => (left < right ? -1 : 1))) {
      if (key === 'description') continue;
      if (key === 'resourceVersion' && typeof inner === 'string') result[key] = this.#version(source['uid'], inner);
      else result[key.replaceAll(uids, '<uid>')] = this.#value(inner, key);
    }
    return result;
  }

  #version(uid: unknown, version: string): string {
    if (typeof uid !== 'string') return version === '' ? '' : '<version>';
    const known = this.#versions.get(uid) ?? [];
    this.#versions.set(uid, known);
    if (!known.includes(version)) known.push(version);
    return `<version ${known.indexOf(version) + 1}>`;
  }
}

function normalizeText(text: string, name: string): string {
  if (name === 'uid') return '<uid>';
  if (name === 'continue' && text !== '') return '<continue>';
  if (name === 'storageVersionHash') return '<hash>';
  if (/^10\.0\.\d\.\d+$/.test(text)) return '<address>';
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return '<time>';
  return (
    text
      .replaceAll(uids, '<uid>')
      .replaceAll(/"resourceVersion":"\d+"|\\"resourceVersion\\":\\"\d+\\"/g, '<version>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replaceAll(/,\\?"managedFields\\?":\[.*?\}\}\]/g, '')
      .replaceAll(/(current: |version: |does not match the ResourceVersion in record \()\d+/g, '$1<n>')
      .replaceAll(/too old resource version: \d+ \(\d+\)/g, 'too old resource version')
      .replaceAll(/\b10\.0\.\d\.\d+\b/g, '<address>')
      .replaceAll(/^(\d+[smh])+$/g, '<age>')
      // Whole objects stand in the form of Go's structs, and pods' changes as a diff of them: only that they stand there is compared.
      .replaceAll(/ value: [[{].{120,}[}\]]: /gs, ' value: <object>: ')
      .replaceAll(/(The range of valid IPs is )\S+/g, '$1<range>')
      .replaceAll(/(previously negative\)|for bound claims)\n.*$/gs, '$1')
  );
}

/** Runs a sequence as a client would, each request after the answer to the one before. */
export async function runSequence(
  sequence: Sequence,
  send: (step: SentStep) => Promise<RestResponse>,
): Promise<readonly Answer[]> {
  const normalizer = new Normalizer();
  const answers: Answer[] = [];
  const bodies: unknown[] = [];
  for (const step of sequence.steps) {
    const path = typeof step.path === 'string' ? step.path : step.path(bodies);
    const body = step.make === undefined ? step.body : step.make(bodies);
    const request = {
      method: step.method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      ...(body !== undefined && { body }),
      ...(step.headers !== undefined && { headers: step.headers }),
      ...(step.user !== undefined && { user: step.user }),
    };
    let response = await send(request);
    for (let tries = 0; tries < 100 && step.until?.(response.json()) === false; tries++) {
      await sleep(100);
      response = await send(request);
    }
    const answer = normalizer.answer(response);
    answers.push(step.only === undefined ? answer : { ...answer, body: (answer.body as Plain)[step.only] });
    try {
      bodies.push(response.json());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      bodies.push(response.text);
    }
  }
  return answers;
}

export interface SentStep {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
}
