import { readBody, sendObject, sendText, type Exchange } from '../http/exchange.ts';
import type { ApiServer } from '../api-server.ts';
import { fromPlain, isArray, isObject, jsonObject, numeric, text, texts, type Json, type JsonObject } from '../json.ts';
import { JsonSyntaxError, parseJsonText } from '../json-text.ts';
import { ApiError, badRequest, methodNotAllowed, noSuchResource } from '../status.ts';
import { parseState, StateError } from '../storage/state.ts';
import type { Fault, FaultAction, FaultMatch } from './faults.ts';

const prefix = '/_admin';

export function isAdminPath(path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

const loopback = /^(?:::ffff:)?127\.|^::1$/;

/** Controls the server over HTTP, as `ApiServer` does in its own process: for programs in any language. */
export class Admin {
  readonly #server: () => ApiServer;
  readonly #onError: (error: unknown) => void;
  readonly #faults = new Map<string, { readonly fault: Json; readonly remove: () => void }>();
  #nextFault = 1;

  constructor(server: () => ApiServer, onError: (error: unknown) => void) {
    this.#server = server;
    this.#onError = onError;
  }

  /** Serves a request below `/_admin`: of administrators, and from this machine only. */
  async serve(exchange: Exchange): Promise<void> {
    const { request, user, info } = exchange;
    if (!user.groups.includes('system:masters'))
      throw new ApiError(403, 'Forbidden', `forbidden: ${prefix} is for users of the group system:masters`, {});
    if (!loopback.test(request.socket.remoteAddress ?? ''))
      throw new ApiError(403, 'Forbidden', `forbidden: ${prefix} answers to this machine only`, {});
    const [name = '', part = ''] = info.path.slice(prefix.length + 1).split('/');
    const method = request.method ?? '';
    switch (name) {
      case '':
        return this.#only(method, 'GET', () => this.#overview(exchange));
      case 'faults':
        return this.#serveFaults(exchange, method, part);
      case 'watches':
        return this.#only(method, 'POST', async () => this.#watches(exchange, part));
      case 'compact':
        return this.#only(method, 'POST', async () => this.#compact(exchange));
      case 'clock':
        return this.#clock(exchange, method);
      case 'state':
        return this.#state(exchange, method);
      case 'restart':
        return this.#only(method, 'POST', async () => this.#restart(exchange));
      case 'idle':
        return this.#only(method, 'POST', async () => {
          await this.#server().idle();
          this.#overview(exchange);
        });
      default:
        throw noSuchResource();
    }
  }

  async #only(method: string, wanted: string, serve: () => void | Promise<void>): Promise<void> {
    if (method !== wanted) throw methodNotAllowed();
    await serve();
  }

  #overview(exchange: Exchange): void {
    const { revision, clock } = this.#server();
    sendObject(
      exchange,
      200,
      fromPlain({
        revision,
        clock: { now: new Date(clock.now()).toISOString(), running: clock.isRunning },
        faults: this.#server().faults.active.length,
      }),
    );
  }

  async #serveFaults(exchange: Exchange, method: string, id: string): Promise<void> {
    if (method === 'GET' && id === '') {
      const items = [...this.#faults].map(([name, { fault }]) => ({ id: name, ...(fault as object) }));
      sendObject(exchange, 200, fromPlain({ items }));
    } else if (method === 'POST' && id === '') {
      const document = await documentOf(exchange);
      const remove = this.#server().faults.add(faultOf(document));
      const name = String(this.#nextFault++);
      this.#faults.set(name, { fault: document, remove });
      sendObject(exchange, 201, fromPlain({ id: name }));
    } else if (method === 'DELETE') {
      if (id === '') {
        this.#server().faults.clear();
        this.#faults.clear();
      } else {
        const found = this.#faults.get(id);
        if (found === undefined) throw new ApiError(404, 'NotFound', `there is no fault ${JSON.stringify(id)}`);
        found.remove();
        this.#faults.delete(id);
      }
      this.#overview(exchange);
    } else throw methodNotAllowed();
  }

  async #watches(exchange: Exchange, what: string): Promise<void> {
    const document = await documentOf(exchange, ['resource']);
    const resource = text(document, 'resource') || undefined;
    const { faults } = this.#server();
    switch (what) {
      case 'cut':
        faults.cutWatches(resource);
        break;
      case 'end':
        faults.endWatches(resource);
        break;
      case 'pause':
        faults.pauseWatches(resource);
        break;
      case 'resume':
        faults.resumeWatches(resource);
        break;
      default:
        throw noSuchResource();
    }
    this.#overview(exchange);
  }

  async #compact(exchange: Exchange): Promise<void> {
    const document = await documentOf(exchange, ['revision']);
    const revision = document['revision'];
    if (revision !== undefined && !Number.isSafeInteger(numeric(revision)))
      throw badRequest('revision must be a whole number');
    this.#server().compact(numeric(revision));
    this.#overview(exchange);
  }

  async #clock(exchange: Exchange, method: string): Promise<void> {
    const { clock } = this.#server();
    if (method === 'PUT') {
      const document = await documentOf(exchange, ['now', 'advanceMilliseconds', 'running']);
      const now = document['now'];
      const advance = document['advanceMilliseconds'];
      const running = document['running'];
      if (now !== undefined && (typeof now !== 'string' || Number.isNaN(Date.parse(now))))
        throw badRequest('now must be a time such as 2026-01-31T12:00:00Z');
      if (advance !== undefined && numeric(advance) === undefined)
        throw badRequest('advanceMilliseconds must be a number');
      if (running !== undefined && typeof running !== 'boolean') throw badRequest('running must be true or false');
      if (typeof now === 'string') clock.set(now);
      if (advance !== undefined) clock.advance(numeric(advance) ?? 0);
      if (running === true) clock.resume();
      else if (running === false) clock.set(clock.now());
    } else if (method === 'DELETE') clock.reset();
    else if (method !== 'GET') throw methodNotAllowed();
    this.#overview(exchange);
  }

  async #state(exchange: Exchange, method: string): Promise<void> {
    if (method === 'GET') sendText(exchange, 200, this.#server().snapshot(), { 'Content-Type': 'application/json' });
    else if (method === 'PUT') this.#restartLater(exchange, (await readBody(exchange.request)).toString('utf8'), 0);
    else throw methodNotAllowed();
  }

  async #restart(exchange: Exchange): Promise<void> {
    const document = await documentOf(exchange, ['state', 'downtimeMilliseconds']);
    const state = document['state'] ?? 'kept';
    const downtime = document['downtimeMilliseconds'] ?? 0;
    if (state !== 'kept' && state !== 'lost') throw badRequest('state must be "kept" or "lost"');
    if (!((numeric(downtime) ?? -1) >= 0)) throw badRequest('downtimeMilliseconds must be a number from 0 on');
    this.#restartLater(exchange, state, numeric(downtime) ?? 0);
  }

  /** Restarts when the answer is on its way: the connection does not outlive it. */
  #restartLater(exchange: Exchange, state: string, downtime: number): void {
    try {
      if (state !== 'kept' && state !== 'lost') parseState(state);
    } catch (error) {
      throw error instanceof StateError ? badRequest(`the state cannot be used: ${error.message}`) : error;
    }
    exchange.response.once('finish', () => {
      this.#server().restart({ state, downtime }).catch(this.#onError);
    });
    exchange.response.setHeader('Connection', 'close');
    sendObject(exchange, 202, fromPlain({ status: 'restarting' }));
  }
}

/** The JSON object in a request's body; none counts as an empty one. */
async function documentOf(exchange: Exchange, members?: readonly string[]): Promise<JsonObject> {
  const body = (await readBody(exchange.request)).toString('utf8');
  if (body.trim() === '') return jsonObject();
  let value: Json;
  try {
    value = parseJsonText(body);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? badRequest(`the body is no JSON: ${error.message}`) : error;
  }
  if (!isObject(value)) throw badRequest('the body must be a JSON object');
  if (members !== undefined) onlyMembers(value, members, 'the body');
  return value;
}

function onlyMembers(value: JsonObject, members: readonly string[], what: string): void {
  const unknown = Object.keys(value).filter((name) => !members.includes(name));
  if (unknown.length > 0)
    throw badRequest(`${what} has members that are not known: ${unknown.join(', ')}; there are ${members.join(', ')}`);
}

const matchLists = ['verbs', 'groups', 'resources', 'subresources', 'namespaces', 'names', 'users'] as const;

function faultOf(document: JsonObject): Fault {
  onlyMembers(document, ['match', 'action', 'times', 'after'], 'the fault');
  const count = (name: 'times' | 'after'): Partial<Fault> => {
    const value = document[name];
    if (value === undefined) return {};
    const number = numeric(value) ?? -1;
    if (!Number.isSafeInteger(number) || number < 0) throw badRequest(`${name} must be a whole number from 0 on`);
    return { [name]: number };
  };
  return {
    match: matchOf(document['match']),
    action: actionOf(document['action']),
    ...count('times'),
    ...count('after'),
  };
}

function matchOf(value: Json | undefined): FaultMatch {
  if (value === undefined) return {};
  if (!isObject(value)) throw badRequest('match must be an object');
  onlyMembers(value, [...matchLists, 'path'], 'match');
  const result: Record<string, readonly string[]> = {};
  for (const name of matchLists) {
    const given = value[name];
    if (given === undefined) continue;
    if (!isArray(given) || given.some((item) => typeof item !== 'string'))
      throw badRequest(`match.${name} must be a list of texts`);
    result[name] = texts(value, name);
  }
  const path = value['path'];
  if (path === undefined) return result;
  if (typeof path !== 'string') throw badRequest('match.path must be a regular expression');
  try {
    return { ...result, path: new RegExp(path) };
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(`match.path: ${error.message}`) : error;
  }
}

function actionOf(value: Json | undefined): FaultAction {
  if (!isObject(value)) throw badRequest('action must be an object with a kind: error, latency, hang or cut');
  switch (value['kind']) {
    case 'error': {
      onlyMembers(value, ['kind', 'code', 'reason', 'message', 'retryAfterSeconds'], 'action');
      const code = numeric(value['code']) ?? 0;
      if (!Number.isInteger(code) || code < 400 || code > 599) throw badRequest('action.code must be from 400 to 599');
      const retry = numeric(value['retryAfterSeconds']);
      return {
        kind: 'error',
        code,
        ...(text(value, 'reason') !== '' && { reason: text(value, 'reason') }),
        ...(text(value, 'message') !== '' && { message: text(value, 'message') }),
        ...(retry !== undefined && { retryAfterSeconds: retry }),
      };
    }
    case 'latency': {
      onlyMembers(value, ['kind', 'milliseconds'], 'action');
      const milliseconds = numeric(value['milliseconds']) ?? -1;
      if (milliseconds < 0) throw badRequest('action.milliseconds must be a number from 0 on');
      return { kind: 'latency', milliseconds };
    }
    case 'hang':
      onlyMembers(value, ['kind'], 'action');
      return { kind: 'hang' };
    case 'cut': {
      onlyMembers(value, ['kind', 'when'], 'action');
      const when = value['when'];
      if (when !== 'before' && when !== 'after' && when !== 'within')
        throw badRequest('action.when must be before, after or within');
      return { kind: 'cut', when };
    }
    default:
      throw badRequest('action.kind must be error, latency, hang or cut');
  }
}
