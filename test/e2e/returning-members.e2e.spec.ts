import { queryOnce } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { changePasses } from './partner.js';
import { awaitRest } from './store.js';
import { emission, produce, type Emission } from './traffic.js';

interface Pass {
  readonly tier: number | null;
  readonly sms: number | null;
  readonly optOut: boolean | null;
  readonly points: number | null;
}

describe('a member who left and comes back', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
    await harness.startDaemon();
  }, 180_000);

  afterAll(async () => {
    await harness.close();
  }, 60_000);

  const memberId = 'm-1';

  function enrolment(id: string, firstName: string, tier: string): Emission {
    const consent = { smsSubscription: 'promotional', pass: { points: 0, optOut: false } };
    return emission('members', 'member.enrolled', { id, memberId, person: { firstName }, tier, ...consent });
  }

  async function passes(): Promise<Pass[]> {
    return queryOnce<Pass>(
      harness.sandboxDatabaseUrl,
      `SELECT template_tier_id::int AS tier, sms_subscription AS sms, (passdata->>'optOut')::boolean AS "optOut",
         (passdata->>'points')::int AS points
       FROM wallet_sandbox.pass WHERE unique_id = '${memberId}'`,
    );
  }

  it('has the pass of before, as the new enrolment says, with its points', async () => {
    await produce(harness.broker, harness.topics, [enrolment('e-1', 'Ada', 'basic')]);
    await awaitRest(harness.database.url, 1);
    const left = emission('members', 'member.opted-out', { id: 'o-1', memberId, scope: 'program', erase: false });
    await produce(harness.broker, harness.topics, [left]);
    await awaitRest(harness.database.url, 2);
    expect(await passes()).toMatchObject([{ sms: 900, optOut: true }]);
    await changePasses(harness.sandboxDatabaseUrl, [memberId]);

    await produce(harness.broker, harness.topics, [enrolment('e-2', 'Bea', 'gold')]);
    await awaitRest(harness.database.url, 4);
    expect(await passes()).toEqual([{ tier: 2, sms: 200, optOut: false, points: 4711 }]);
  });
});
