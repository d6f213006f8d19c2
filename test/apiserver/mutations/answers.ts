import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RestResponse } from '../../../src/testing/rest.ts';
import { Normalizer, type SentStep } from '../sequence.ts';
import type { Base } from './kinds.ts';
import { mutationsOf, type Mutation, type Schema, type Schemas } from './mutate.ts';

/** What a server says of each mutation of a kind, by the mutation's name: created anew, and in place of the valid object. */
export interface MutationAnswers {
  readonly create: Readonly<Record<string, string>>;
  readonly update: Readonly<Record<string, string>>;
}

/** What a real kube-apiserver 1.37.2 said, by base: written anew with RECORD_ANSWERS=1 and KUBEBUILDER_ASSETS. */
export const recordedFile = fileURLToPath(new URL('../../../fixtures/apiserver/mutations.json', import.meta.url));

/** Answers as they are recorded: of each its status and a hash, in the order of the mutations, in lines of some. */
export type RecordedAnswers = Readonly<Record<keyof MutationAnswers, readonly string[]>>;

export const readRecorded = (): Readonly<Record<string, RecordedAnswers>> =>
  JSON.parse(readFileSync(recordedFile, 'utf8')) as Readonly<Record<string, RecordedAnswers>>;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

export function recordOf(answers: MutationAnswers): RecordedAnswers {
  const lines = (given: Readonly<Record<string, string>>): readonly string[] => {
    const hashes = Object.entries(given).map(([name, answer]) => `${answer.slice(0, 3)}-${hash(`${name} ${answer}`)}`);
    return Array.from({ length: Math.ceil(hashes.length / 8) }, (_, line) =>
      hashes.slice(line * 8, line * 8 + 8).join(' '),
    );
  };
  return { create: lines(answers.create), update: lines(answers.update) };
}

/** The answers that differ from the recorded ones, with the status that was recorded. */
export function differencesOf(answers: MutationAnswers, recorded: RecordedAnswers | undefined): readonly string[] {
  const own = recordOf(answers);
  return (['create', 'update'] as const).flatMap((verb) => {
    const ours = own[verb].join(' ').split(' ');
    const theirs = recorded?.[verb].join(' ').split(' ') ?? [];
    const different = Object.entries(answers[verb]).flatMap(([name, answer], index) =>
      ours[index] === theirs[index] ? [] : [`${verb} ${name}: ${answer} (recorded: ${theirs[index] ?? 'nothing'})`],
    );
    return ours.length === theirs.length ? different : [...different, `${verb}: ${theirs.length} answers are recorded`];
  });
}

/**
 * Left out: the real server's checks of these end in a panic, or its allocator refuses with an error 500 what its checks would.
 */
const unanswerable = [
  /^(spec|spec\.jobTemplate\.spec)\.completions (removed|= null)$/,
  /^spec\.ports = \[\{.*\(283\)$/,
];

type Send = (step: SentStep) => Promise<RestResponse>;

/** A server that mutations are put to; namespaces are those of the caller. */
export class MutationRun {
  readonly #send: Send;
  readonly #namespace: string;
  readonly #schemas = new Map<string, Schemas>();

  constructor(send: Send, namespace: string) {
    this.#send = send;
    this.#namespace = namespace;
  }

  async start(): Promise<void> {
    const body = { metadata: { name: this.#namespace } };
    await this.#send({ method: 'POST', path: '/api/v1/namespaces', body });
  }

  /** Puts all mutations of a base to the server, in dry runs. The valid object is gone again afterwards. */
  async answers(base: Base): Promise<MutationAnswers> {
    const collection = base.collection.replace('NAMESPACE', this.#namespace);
    const text = JSON.stringify(base.object).replaceAll('NAMESPACE', this.#namespace);
    const object = JSON.parse(text) as Base['object'] & { readonly metadata: { readonly name: string } };
    const mutations = (await this.#mutations(object)).filter(
      ({ name }) => !unanswerable.some((left) => left.test(name)),
    );
    const create: Record<string, string> = {};
    for (const { name, object: body } of [{ name: 'unchanged', object }, ...mutations])
      create[name] = summary(await this.#send({ method: 'POST', path: `${collection}?dryRun=All`, body }));
    const path = `${collection}/${object.metadata.name}`;
    const update = { created: summary(await this.#send({ method: 'POST', path: collection, body: object })) };
    const updates: Record<string, string> = update;
    for (const { name, object: body } of mutations)
      updates[name] = summary(await this.#send({ method: 'PUT', path: `${path}?dryRun=All`, body }));
    await this.#send({
      method: 'PATCH',
      path,
      body: { metadata: { finalizers: null } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    await this.#send({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0` });
    return { create, update: updates };
  }

  async #mutations(object: Base['object']): Promise<readonly Mutation[]> {
    const apiVersion = String(object['apiVersion']);
    let schemas = this.#schemas.get(apiVersion);
    if (schemas === undefined) {
      const path = `/openapi/v3/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}`;
      const document = (await this.#send({ method: 'GET', path })).json() as { components: { schemas: Schemas } };
      schemas = document.components.schemas;
      this.#schemas.set(apiVersion, schemas);
    }
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const schema = Object.values(schemas).find((found: Schema) =>
      found['x-kubernetes-group-version-kind']?.some(
        (kind) => kind.group === group && kind.version === version && kind.kind === object['kind'],
      ),
    );
    if (schema === undefined) throw new Error(`no schema of ${apiVersion} ${String(object['kind'])}`);
    return mutationsOf(object, schemas, schema);
  }
}

/** An answer in one line: what is wrong, or, of what is stored, a hash. */
function summary(response: RestResponse): string {
  const { status, warnings, body } = new Normalizer().answer(response);
  const told = warnings === undefined ? '' : ` ${warnings}`;
  if (status < 300)
    return `${status} ${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12)}${told}`;
  const { message, details } = body as {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { reason?: string; message?: string; field?: string }[] };
  };
  const causes = details?.causes?.map(({ reason, message: text, field }) => `${reason} ${field}: ${text}`);
  return `${status} ${causes === undefined ? message : causes.join('; ')}${told}`;
}
