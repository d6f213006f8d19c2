// A registry on loopback that has our packed packages, as if they were published, and sends npm elsewhere for all others.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Tarball } from '../../tools/pack.ts';
import { packages, readPackageJson } from '../../tools/repository.ts';

export interface Registry {
  readonly url: string;
  readonly close: () => void;
}

/** @param upstream the registry of all other packages, with a trailing slash */
export async function startRegistry(tarballs: readonly Tarball[], upstream: string): Promise<Registry> {
  const contents = tarballs.map(({ name, version, path }) => {
    const content = readFileSync(path);
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    // A path of its own for each content: npm keeps what it has got from an address.
    const file = `/${name}/-/${createHash('sha256').update(content).digest('hex')}.tgz`;
    return { name, version, content, integrity, file };
  });
  const server = createServer(({ url = '/' }, response) => {
    const tarball = contents.find(({ file }) => file === url);
    const packed = contents.find(({ name }) => url === `/${name}`);
    if (tarball !== undefined) {
      response.end(tarball.content);
    } else if (packed !== undefined) {
      const { name, version, integrity, file } = packed;
      const manifest = readPackageJson(
        name === 'create-operator' ? packages['create-operator'] : packages['operator-runtime'],
      );
      const dist = { tarball: `${address()}${file}`, integrity };
      const document = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
      response.setHeader('Content-Type', 'application/json').setHeader('Cache-Control', 'no-store');
      response.end(JSON.stringify(document));
    } else {
      response.writeHead(302, { Location: new URL(url.slice(1), upstream).href }).end();
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = (): string => {
    const bound = server.address();
    return `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  };
  return {
    url: `${address()}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
