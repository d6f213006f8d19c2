import { createHash } from 'node:crypto';
import { Rest } from '../client/rest.ts';
import type { RestOptions } from '../client/rest.ts';
import { sleep } from '../environment/child-signal.ts';
import type { Clock } from '../environment/environment.ts';

/** What may be done with a request: nothing is said where it is allowed. */
export type Denial = { readonly status: 401 | 403; readonly message: string } | undefined;

interface User {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** How long answers are remembered, in milliseconds: controller-runtime's numbers. */
const authenticatedFor = 60_000;
const allowedFor = 5 * 60_000;
const deniedFor = 30_000;
const maxRemembered = 1024;
/** Tries of a review, the time for each, and the pause after the first, in milliseconds; each later pause is 1.5 times as long. */
const tries = 5;
const timeout = 10_000;
const firstPause = 500;

/**
 * Who may read an endpoint of this process, as the cluster says: a TokenReview tells who has the bearer token, a SubjectAccessReview
 * whether this user may use the path (a non-resource URL). The process needs the permission to create both.
 */
export class AccessReview {
  readonly #rest: Rest;
  readonly #clock: Clock;
  readonly #users: Remembered<User | undefined>;
  readonly #allowed: Remembered<boolean>;

  constructor(options: RestOptions) {
    this.#rest = new Rest({ ...options, requestTimeout: timeout });
    this.#clock = options.environment.clock;
    this.#users = new Remembered(this.#clock);
    this.#allowed = new Remembered(this.#clock);
  }

  /** Rejects when the API server cannot be asked. `verb` is the HTTP method in lower case. */
  async check(authorization: string | undefined, verb: string, path: string, signal: AbortSignal): Promise<Denial> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    const user = token === undefined ? undefined : await this.#authenticate(token, signal);
    if (user === undefined) {
      return { status: 401, message: 'Unauthorized\n' };
    }
    return (await this.#isAllowed(user, verb, path, signal))
      ? undefined
      : { status: 403, message: `Authorization denied for user ${user.username ?? ''}\n` };
  }

  async #authenticate(token: string, signal: AbortSignal): Promise<User | undefined> {
    const id = createHash('sha256').update(token).digest('base64');
    const known = this.#users.get(id);
    if (known !== undefined) {
      return known.value;
    }
    const answer = await this.#create('/apis/authentication.k8s.io/v1/tokenreviews', 'TokenReview', { token }, signal);
    const { authenticated, user, error } = answer as { authenticated?: boolean; user?: User; error?: string };
    if (authenticated !== true && error !== undefined && error !== '') {
      // Possibly of the server's own making: asked again at the next request.
      return undefined;
    }
    return this.#users.set(id, authenticated === true ? (user ?? {}) : undefined, authenticatedFor);
  }

  async #isAllowed(user: User, verb: string, path: string, signal: AbortSignal): Promise<boolean> {
    const { username, uid, groups, extra } = user;
    const spec = {
      ...(username === undefined ? {} : { user: username }),
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      nonResourceAttributes: { path, verb },
    };
    const id = JSON.stringify(spec);
    const known = this.#allowed.get(id);
    if (known !== undefined) {
      return known.value;
    }
    const url = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const answer = await this.#create(url, 'SubjectAccessReview', spec, signal);
    const allowed = answer['allowed'] === true && answer['denied'] !== true;
    return this.#allowed.set(id, allowed, allowed ? allowedFor : deniedFor);
  }

  /** The status of a review; tried again unless the server refuses it. */
  async #create(
    path: string,
    kind: 'TokenReview' | 'SubjectAccessReview',
    spec: object,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const group = kind === 'TokenReview' ? 'authentication' : 'authorization';
    const body = { apiVersion: `${group}.k8s.io/v1`, kind, metadata: {}, spec };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#rest.json({ verb: 'create', method: 'POST', path, body, retry: false, signal });
        const status = answer['status'];
        return typeof status === 'object' && status !== null ? (status as Record<string, unknown>) : {};
      } catch (error) {
        const refused =
          error instanceof Error && 'code' in error && Number(error.code) >= 400 && Number(error.code) < 500;
        if (refused || signal.aborted || attempt === tries) {
          throw error;
        }
        await sleep(this.#clock, firstPause * 1.5 ** (attempt - 1), signal);
      }
    }
  }
}

/** Values that are forgotten after a time, the oldest first when there are too many. */
class Remembered<V> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(id: string): { readonly value: V } | undefined {
    const entry = this.#entries.get(id);
    if (entry !== undefined && entry.until <= this.#clock.monotonic()) {
      this.#entries.delete(id);
      return undefined;
    }
    return entry;
  }

  set(id: string, value: V, milliseconds: number): V {
    this.#entries.delete(id);
    this.#entries.set(id, { value, until: this.#clock.monotonic() + milliseconds });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxRemembered && oldest !== undefined) {
      this.#entries.delete(oldest);
    }
    return value;
  }
}
