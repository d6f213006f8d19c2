import type { Fault, ModelOptions, ModelServer, RequestForm } from './model-server.ts';
import type { RunningInformer } from './adapter.ts';

/** What a script may do. */
export interface Play {
  readonly server: ModelServer;
  readonly informer: RunningInformer;
  /** Time passes: virtual time, or, over sockets, a moment in which everything that is ready happens. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** The bearer token that the server accepts, and that stands in the file, becomes another one. Over sockets only. */
  readonly rotateToken?: () => Promise<void>;
}

export interface Script {
  readonly name: string;
  readonly options?: ModelOptions;
  /** `virtual`: needs minutes. `sockets`: needs what only real connections have. Default: both. */
  readonly only?: 'virtual' | 'sockets';
  /** Before the informer starts. */
  readonly before?: (server: ModelServer) => void;
  readonly run: (play: Play) => Promise<void> | void;
  /** What must hold in the end beside the equality of server, cache and view; gives what is wrong. Virtual time only. */
  readonly after?: (play: Play) => string | undefined;
}

const some = (server: ModelServer): void => {
  for (const name of ['a', 'b', 'c']) server.write(name);
};
const many = (server: ModelServer): void => {
  for (let index = 0; index < 25; index++) server.write(`w${index}`);
};
/** Something of everything, so that a missed or doubled event shows. */
const change = (server: ModelServer): void => {
  server.write('a');
  server.remove('b');
  server.recreate('c');
  server.write('d');
};

const unavailable: Fault = { status: 503, reason: 'ServiceUnavailable' };
const faults: readonly (readonly [string, Fault])[] = [
  ['refused', 'refused'],
  ['HTML with status 200', 'html'],
  ['HTML that does not end', 'html without end'],
  ['an empty body', 'empty'],
  ['rubbish', 'rubbish'],
  ['half a body', 'half a body'],
  ['401', { status: 401, reason: 'Unauthorized' }],
  ['403', { status: 403, reason: 'Forbidden' }],
  ['404', { status: 404, reason: 'NotFound' }],
  ['410 Expired', { status: 410, reason: 'Expired' }],
  ['410 Gone', { status: 410, reason: 'Gone' }],
  ['429 with Retry-After', { status: 429, reason: 'TooManyRequests', retryAfter: '1' }],
  ['429 without', { status: 429, reason: 'TooManyRequests' }],
  ['500', { status: 500, reason: 'InternalError' }],
  ['503', unavailable],
  ['504', { status: 504, reason: 'Timeout' }],
];

const started: readonly Script[] = faults.flatMap(([name, fault]) =>
  (['list', 'stream'] as const).map((form) => ({
    name: `start: the first ${form === 'list' ? 'page' : 'streaming list'} is answered with ${name}`,
    options: { streaming: form === 'list' ? ('refused' as const) : ('supported' as const) },
    before(server: ModelServer) {
      some(server);
      server.fault(fault, 1, form);
    },
    async run({ server, pass }: Play) {
      await pass(10_000);
      change(server);
      await pass(1000);
    },
  })),
);

const interrupted: readonly Script[] = faults.map(([name, fault]) => ({
  name: `reconnect: the watch is cut, changes are missed, the next requests are answered with ${name}`,
  before: some,
  async run({ server, pass }: Play) {
    await pass(1000);
    server.fault(fault, 2);
    server.cut();
    change(server);
    await pass(60_000);
  },
}));

const cuts: readonly Script[] = ([0, 1, 20, 60, 90, 92, 94] as const).flatMap((bytes) =>
  (['end', 'reset'] as const).map((how) => ({
    name: `cut: the watch ends (${how}) after ${bytes} bytes of an event`,
    before: some,
    async run({ server, pass }: Play) {
      await pass(1000);
      server.write('a');
      await pass(2000);
      server.cut(bytes, how);
      change(server);
      await pass(10_000);
    },
  })),
);

const errors: readonly Script[] = (
  [
    [410, 'Expired'],
    [410, 'Gone'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [504, 'Timeout'],
    [403, 'Forbidden'],
  ] as const
).map(([code, reason]) => ({
  name: `ERROR event: ${code} ${reason}`,
  before: some,
  async run({ server, pass }: Play) {
    await pass(1000);
    server.error(code, reason);
    change(server);
    await pass(60_000);
  },
}));

const chunks: readonly Script[] = ([1, 2, 7, 64] as const).flatMap((chunkSize) =>
  (['supported', 'refused'] as const).map((streaming) => ({
    name: `framing: ${chunkSize} bytes at a time, ${streaming === 'supported' ? 'streaming list' : 'pages'}`,
    options: { chunkSize, streaming },
    before(server: ModelServer) {
      server.write('a', 'ü🦀"\\{[]}\u2028');
      server.write('b', '"items":[{"');
    },
    async run({ server, pass }: Play) {
      await pass(1000);
      server.write('a', '🦀🦀🦀');
      server.write('c', '\\"}\\');
      server.recreate('b');
      await pass(1000);
    },
  })),
);

const lists: readonly Script[] = [
  ...(['supported', 'refused', 'never ends', 'ignored'] as const).map((streaming): Script => ({
    name: `list: 25 objects, streaming ${streaming}`,
    options: { streaming },
    before: many,
    async run({ server, pass }) {
      await pass(20_000);
      change(server);
      await pass(1000);
    },
  })),
  ...(['stream', 'list', 'continue', 'watch'] as const).map((form: RequestForm): Script => ({
    name: `list: the server never answers a ${form}`,
    only: 'virtual',
    options: { streaming: form === 'stream' ? 'supported' : 'refused' },
    before(server) {
      some(server);
      server.fault('silent', 2, form);
    },
    async run({ server, pass }) {
      await pass(200_000);
      change(server);
      await pass(1000);
    },
  })),
  ...(
    [
      ['expires once', { status: 410, reason: 'Expired' }, 1],
      ['expires again and again', { status: 410, reason: 'Expired' }, 9],
      ['meets an overloaded server', { status: 429, reason: 'TooManyRequests', retryAfter: '1' }, 1],
      ['meets a server that goes away', 'refused', 1],
      ['is answered with half a body', 'half a body', 1],
    ] as const
  ).map(([name, fault, times]): Script => ({
    name: `list: the continue token ${name}`,
    options: { streaming: 'refused' },
    before(server) {
      many(server);
      server.fault(fault, times, 'continue');
    },
    async run({ server, pass }) {
      change(server);
      await pass(30_000);
      change(server);
      await pass(1000);
    },
  })),
  {
    name: 'list: objects come and go while pages are read',
    options: { streaming: 'refused', chunkSize: 16 },
    before: many,
    async run({ server, pass }) {
      server.remove('w3');
      server.recreate('w7');
      server.write('new');
      await pass(5000);
    },
  },
  {
    name: 'list: a list where there is none',
    options: { streaming: 'refused' },
    before(server) {
      some(server);
      server.fault('no list', 1, 'list');
    },
    run: ({ pass }) => pass(5000),
  },
  {
    name: 'list: no objects at all, then the first',
    async run({ server, pass }) {
      await pass(1000);
      server.write('a');
      await pass(1000);
    },
  },
  {
    name: 'list: the kind is installed after a while',
    before(server) {
      some(server);
      server.fault({ status: 404, reason: 'NotFound' }, 5);
    },
    run: ({ pass }) => pass(120_000),
  },
];

const gaps: readonly Script[] = [
  {
    name: 'gap: deleted while disconnected, and the history is gone',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.cut();
      server.remove('a');
      server.compact();
      await pass(10_000);
    },
  },
  {
    name: 'gap: deleted and created again under the same name, and the history is gone',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.cut();
      server.recreate('a');
      server.recreate('b');
      server.recreate('b');
      server.compact();
      await pass(10_000);
    },
  },
  {
    name: 'gap: everything deleted',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.cut();
      for (const name of ['a', 'b', 'c']) server.remove(name);
      server.compact();
      await pass(10_000);
    },
  },
  {
    name: 'gap: the server is restored from a backup',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.write('later');
      server.skip(50);
      server.bookmark();
      await pass(1000);
      server.rewind(51);
      await pass(120_000);
      server.write('a');
      await pass(1000);
    },
  },
  {
    name: 'gap: other kinds move the version on, bookmarks keep it fresh',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.skip(1000);
      server.bookmark();
      await pass(1000);
      server.compact();
      server.cut(0, 'end');
      server.write('a');
      await pass(10_000);
    },
    after: ({ server }) =>
      server.requests.filter((request) => request === 'list' || request === 'stream').length > 1
        ? 'it listed again though its version was fresh'
        : undefined,
  },
  {
    name: 'gap: the watch is cut again and again',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      for (let round = 0; round < 20; round++) {
        server.write('a');
        await pass(100);
        server.cut(round);
        server.recreate('b');
        await pass(2000);
      }
    },
  },
  {
    name: 'gap: the server is away for ten minutes',
    only: 'virtual',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.fault('refused');
      server.cut();
      change(server);
      await pass(600_000);
    },
    after: ({ server }) =>
      server.requests.length > 42 ? `${server.requests.length} requests in ten minutes` : undefined,
  },
];

const streams: readonly Script[] = [
  {
    name: 'events: repeated',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      change(server);
      server.repeat(6);
      server.repeat(2);
      await pass(1000);
    },
  },
  {
    name: 'events: bookmarks, repeated and out of order',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.skip(10);
      server.bookmark();
      server.bookmark();
      server.bookmark(105);
      server.write('a');
      server.bookmark(104);
      server.cut();
      server.write('b');
      await pass(10_000);
    },
  },
  {
    name: 'events: unknown types, other kinds, blank lines',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.raw('\n\r\n  \n');
      server.line({
        type: 'FROBBED',
        object: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'x', namespace: 'a', resourceVersion: '999' },
        },
      });
      server.line({
        type: 'ADDED',
        object: {
          apiVersion: 'meta.k8s.io/v1',
          kind: 'Table',
          metadata: { name: 'x', namespace: 'a', resourceVersion: '999' },
        },
      });
      change(server);
      await pass(1000);
    },
  },
  {
    name: 'events: a line that is no JSON',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.raw('{"type":"MODIFIED","object":{"broken\n');
      change(server);
      await pass(10_000);
    },
  },
  {
    name: 'events: one object of 1.5 MB',
    options: { chunkSize: 16_384 },
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.write('a', 'x'.repeat(1_500_000));
      server.write('b');
      await pass(1000);
    },
  },
  {
    name: 'events: a thousand changes of one object',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      for (let round = 0; round < 1000; round++) server.write('a');
      await pass(1000);
    },
  },
  {
    name: 'events: two minutes of silence, then one',
    only: 'virtual',
    before: some,
    async run({ server, pass }) {
      await pass(120_000);
      change(server);
      await pass(1000);
    },
  },
  {
    name: 'half-open: the connection is dead and nobody says so',
    only: 'virtual',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.halfOpen();
      change(server);
      await pass(700_000);
    },
  },
  {
    name: 'half-open: after bookmarks it shows within three minutes',
    only: 'virtual',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.skip(1);
      server.bookmark();
      await pass(1000);
      server.halfOpen();
      change(server);
      await pass(185_000);
    },
  },
  {
    name: 'long life: a watch with bookmarks is not cut within a day',
    only: 'virtual',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      for (let minute = 0; minute < 24 * 60; minute++) {
        server.skip(1);
        server.bookmark();
        await pass(60_000);
      }
      change(server);
      await pass(1000);
    },
    after: ({ server }) =>
      server.requests.length > 1 ? `${server.requests.length} requests in a quiet day` : undefined,
  },
];

const lives: readonly Script[] = [
  {
    name: 'life: a handler that comes later',
    before: some,
    async run({ server, informer, pass }) {
      await pass(1000);
      informer.addHandler();
      change(server);
      await pass(1000);
      informer.addHandler();
      server.cut();
      server.write('a');
      await pass(10_000);
    },
  },
  {
    name: 'life: stopped, changes are missed, started again',
    before: some,
    async run({ server, informer, pass }) {
      await pass(1000);
      await Promise.all([informer.stop(), pass(0)]);
      change(server);
      await pass(1000);
      informer.start();
      await pass(10_000);
    },
  },
  {
    name: 'life: started twice',
    before: some,
    async run({ server, informer, pass }) {
      informer.start();
      await pass(1000);
      informer.start();
      change(server);
      await pass(1000);
    },
  },
  {
    name: 'life: stopped while it waits to try again',
    before(server) {
      some(server);
      server.fault('refused', 2);
    },
    async run({ server, informer, pass }) {
      await pass(300);
      await Promise.all([informer.stop(), pass(0)]);
      await pass(5000);
      informer.start();
      await pass(10_000);
      change(server);
      await pass(1000);
    },
  },
  {
    name: 'token: rotated while the server is away',
    only: 'sockets',
    before: some,
    async run({ server, pass, rotateToken }) {
      await pass(1000);
      await rotateToken?.();
      server.cut();
      change(server);
      await pass(10_000);
    },
  },
];

const spoiled: readonly Script[] = [
  ...(['list', 'streaming list'] as const).map((form): Script => ({
    name: `rubbish: the body of an object in a ${form} is no JSON`,
    options: { streaming: form === 'list' ? 'refused' : 'supported' },
    before(server) {
      some(server);
      server.spoil(2);
    },
    async run({ server, pass }) {
      await pass(1000);
      change(server);
      await pass(10_000);
    },
  })),
  {
    name: 'rubbish: the body of an object in a watch is no JSON, of one that is deleted, too',
    before: some,
    async run({ server, pass }) {
      await pass(1000);
      server.spoil(1);
      server.write('a');
      await pass(1);
      server.spoil(2);
      server.remove('b');
      server.write('d');
      await pass(10_000);
      change(server);
      await pass(1000);
    },
  },
];

/** All scripts. Their names are unique. */
export const scripts: readonly Script[] = [
  ...started,
  ...interrupted,
  ...cuts,
  ...errors,
  ...chunks,
  ...lists,
  ...gaps,
  ...streams,
  ...spoiled,
  ...lives,
];
