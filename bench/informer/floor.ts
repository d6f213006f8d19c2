import { request } from 'undici';
import { isPods, measure } from './measure.ts';

// The least that a list in JavaScript costs: pages of 500, each decoded and parsed whole, and dropped.
await measure({
  async sync(address) {
    let token: string | undefined;
    do {
      const next = token === undefined ? '' : `&continue=${token}`;
      const { body } = await request(
        `${address}${isPods ? '/api/v1/pods' : '/apis/compute.cloud.com/v1/ec2instances'}?limit=500${next}`,
      );
      const page = JSON.parse(await body.text()) as { metadata: { continue?: string } };
      token = page.metadata.continue;
    } while (token !== undefined);
  },
});
