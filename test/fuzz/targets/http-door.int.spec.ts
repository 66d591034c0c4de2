import type { FuzzTarget } from '../fuzz-target.js';
import { crashText, runTarget } from '../run-target.js';
import { httpDoorTarget } from './http-door.js';

describe('the door, by requests that are broken', () => {
  let target: FuzzTarget;

  beforeAll(async () => {
    target = await httpDoorTarget();
  });

  afterAll(() => target.close?.());

  it('breaks at nothing, keeps nobody waiting, and takes only what Kafka has', async () => {
    const report = await runTarget(target, { seed: 1, inputsMax: 600, msMax: 90_000 });
    expect(report.crashes.map(crashText)).toEqual([]);
    const kinds = [...report.kinds];
    const hooks = ['shopify', 'square', 'stripe', 'hmac', 'adyen'].map((name) => `/hooks/${name} # taken`);
    const refusals = ['/events # urn:loyaltyd:problem:kafka-away', '/hooks/unread # urn:loyaltyd:problem:no-secret'];
    for (const kind of ['/events # taken', ...hooks, ...refusals, '/hooks/shopify # urn:loyaltyd:problem:no-key']) {
      expect(kinds).toContain(kind);
    }
  });
});
