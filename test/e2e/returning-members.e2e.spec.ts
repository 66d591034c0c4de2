import { waitUntil } from '#embedded';
import { queryOnce } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { breakPartner, changePasses, issueAtPartner, readLedger } from './partner.js';
import { awaitRest, readIntentStatuses } from './store.js';
import { emission, produce, purchased, type Emission } from './traffic.js';

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
  });

  afterAll(async () => {
    await harness.close();
  });

  const first = 'm-1';

  function enrolment(id: string, firstName: string, tier: string): Emission {
    const consent = { smsSubscription: 'promotional', pass: { points: 0, optOut: false } };
    return emission('members', 'member.enrolled', { id, memberId: first, person: { firstName }, tier, ...consent });
  }

  async function passes(memberId = first): Promise<Pass[]> {
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
    const left = emission('members', 'member.opted-out', {
      id: 'o-1',
      memberId: first,
      scope: 'program',
      erase: false,
    });
    await produce(harness.broker, harness.topics, [left]);
    await awaitRest(harness.database.url, 2);
    expect(await passes()).toMatchObject([{ sms: 900, optOut: true }]);
    await changePasses(harness.sandboxDatabaseUrl, [first]);

    await produce(harness.broker, harness.topics, [enrolment('e-2', 'Bea', 'gold')]);
    await awaitRest(harness.database.url, 4);
    expect(await passes()).toEqual([{ tier: 2, sms: 200, optOut: false, points: 4711 }]);
  });

  it('regression: has one pass, though the partner would have issued a second one', async () => {
    await breakPartner(harness.sandboxUrl, [{ operation: 'issue', kind: 'not-unique', probability: 1 }]);
    const left = emission('members', 'member.opted-out', { id: 'o-2', memberId: first, scope: 'program', erase: true });
    await produce(harness.broker, harness.topics, [left, enrolment('e-again', 'Bea', 'basic')]);
    await awaitRest(harness.database.url, 7);
    expect(await passes()).toEqual([{ tier: 1, sms: 200, optOut: false, points: 4711 }]);
    const statuses = await readIntentStatuses(harness.database.url);
    expect(statuses.map(({ operation, lastEvent }) => [operation, lastEvent]).slice(-2)).toEqual([
      ['issue', 'VerifiedApplied'],
      ['update-via-workflow', 'AttemptApplied'],
    ]);
  });

  it('regression: is not opted out by what the enrolment went ahead of, but for what it says nothing of', async () => {
    const memberId = 'm-2';
    await produce(harness.broker, harness.topics, [purchased(memberId, 'p-2')]);
    await waitUntil(
      async () => (await queryOnce(harness.database.url, `SELECT FROM lane WHERE state = 'waiting'`)).length === 1,
      { what: 'the purchase to wait for a pass', timeoutMs: 60_000 },
    );
    const left = ['wallet', 'sms'].map((scope) => {
      return emission('members', 'member.opted-out', { id: `o-${scope}`, memberId, scope, erase: false });
    });
    const consent = { id: 'e-3', memberId, person: { firstName: 'Cem' }, tier: 'basic', pass: { optOut: false } };
    await produce(harness.broker, harness.topics, [...left, emission('members', 'member.enrolled', consent)]);
    await awaitRest(harness.database.url, 11);
    expect(await passes(memberId)).toMatchObject([{ tier: 1, sms: 900, optOut: false }]);
  });
});

describe('a member who had a pass before the first enrolment', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  const enrolment = (memberId: string): Emission =>
    emission('members', 'member.enrolled', {
      ...{ id: `e-${memberId}`, memberId, person: { firstName: 'Bea' }, tier: 'gold', message: 'welcome' },
      ...{ smsSubscription: 'promotional', pass: { points: 0 } },
    });

  async function passOf(memberId: string): Promise<object | undefined> {
    const [pass] = await queryOnce(
      harness.sandboxDatabaseUrl,
      `SELECT template_tier_id::int AS tier, sms_subscription AS sms, (passdata->>'points')::int AS points,
         current_message AS message
       FROM wallet_sandbox.pass WHERE unique_id = '${memberId}'`,
    );
    return pass;
  }

  const asEnrolled = { tier: 2, sms: 200, points: 5, message: 'welcome' };

  /** Before and after, at the partner. */
  async function effectsOf(memberId: string): Promise<string[]> {
    const ledger = await readLedger(harness.sandboxUrl);
    return ledger.filter(({ uniqueId }) => uniqueId === memberId).map(({ operation }) => operation);
  }

  const failIssues = (count: number): Promise<void> =>
    breakPartner(harness.sandboxUrl, [
      { operation: 'issue', kind: 'error-before', probability: 1, count, status: 503 },
    ]);

  it('regression: has it as the enrolment says, but for its points, before anything is bought', async () => {
    await issueAtPartner(harness.sandboxUrl, ['m-1']);
    await harness.startDaemon();
    await produce(harness.broker, harness.topics, [enrolment('m-1')]);
    await awaitRest(harness.database.url, 2);
    await produce(harness.broker, harness.topics, [purchased('m-1', 'p-1')]);
    await awaitRest(harness.database.url, 3);
    expect(await passOf('m-1')).toEqual(asEnrolled);
    expect(await effectsOf('m-1')).toEqual(['issue', 'update-via-workflow', 'transaction']);
  });

  it('regression: also where the answer to the enrolment was lost, and the pass that was there proves nothing', async () => {
    await issueAtPartner(harness.sandboxUrl, ['m-2']);
    await failIssues(1);
    await produce(harness.broker, harness.topics, [enrolment('m-2')]);
    await awaitRest(harness.database.url, 5);
    expect(await passOf('m-2')).toEqual(asEnrolled);
  });

  it('buys all the same where the program says of no way to update: a person is told', async () => {
    await harness.closeDaemons();
    await harness.writePrograms(programsFile.replace('{ via: workflow, workflowId: "78" }', '{ via: none }'));
    await issueAtPartner(harness.sandboxUrl, ['m-3']);
    await harness.startDaemon();
    await produce(harness.broker, harness.topics, [enrolment('m-3')]);
    await awaitRest(harness.database.url, 7);
    await produce(harness.broker, harness.topics, [purchased('m-3', 'p-3')]);
    await awaitRest(harness.database.url, 8);
    const statuses = await readIntentStatuses(harness.database.url);
    expect(statuses.filter(({ memberId }) => memberId === 'm-3')).toMatchObject([
      { operation: 'issue', lastEvent: 'VerifiedApplied' },
      { operation: 'update-via-workflow', lastEvent: 'IntentParked', parkedReason: 'unroutable' },
      { operation: 'transaction', lastEvent: 'AttemptApplied' },
    ]);
  });
});
