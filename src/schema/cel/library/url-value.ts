import { urlType } from '../types.ts';
import { CelObject, noSuchOverload, type Value } from '../values.ts';
import { escapedPath, escapeHost, type UrlParts } from './url-parser.ts';

/** A URL. */
export class Url extends CelObject {
  override readonly type = urlType;
  readonly parts: UrlParts;

  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  override equal(other: Value): Value {
    return other instanceof Url ? this.toString() === other.toString() : noSuchOverload(other);
  }

  override toString(): string {
    const { scheme, opaque, userInfo, host, path, query, hasQuery, omitHost, fragment } = this.parts;
    let text = scheme === '' ? '' : `${scheme}:`;
    if (opaque === '') {
      const named = scheme !== '' || host !== '' || userInfo !== undefined;
      if (named && !(omitHost && host === '' && userInfo === undefined)) {
        if (host !== '' || path !== '' || userInfo !== undefined) text += '//';
        text += (userInfo === undefined ? '' : `${userInfo}@`) + escapeHost(host);
      }
      text += escapedPath(this.parts);
    } else {
      text += opaque;
    }
    return text + (hasQuery ? `?${query}` : '') + (fragment === '' ? '' : `#${fragment}`);
  }
}
