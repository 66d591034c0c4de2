import type { IntentDetails, IntentPage, JobItemsPage, JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens, awaitJob } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import type { LedgerEntry } from './partner.js';
import { issueAtPartner, readLedger } from './partner.js';
import { emission, enrolled, granted, produce, purchased, refunded, voided } from './traffic.js';

const unmapped = programsFile.replace(/update: \{.*/, 'update: { via: none }');
const mended = programsFile
  .replace(
    'purchases:',
    `purchases:
      voided: { transactionTypeId: "33", sign: -1 }
      refundVoided: { transactionTypeId: "33" }
      corrected: { transactionTypeId: "33" }`,
  )
  .replace('rewards:', 'revoked: { id: "9002" }\n    rewards:');

const total = (minor: number) => ({ minor, currency: 'EUR', digits: 2 });
const members = ['void', 'refund-void', 'correction', 'revocation', 'opt-out'] as const;
const [ofVoid, ofRefund, ofCorrection, ofGrant, ofConsent] = members;
/** Has a pass from before. */
const known = 'known';

/** What was sent in time. */
const inTime = [
  ...[...members, known].map(enrolled),
  ...[ofVoid, ofRefund, ofCorrection].map((member) => purchased(member, `${member}-p`)),
  ...[ofVoid, ofRefund].map((member) => refunded(member, `${member}-p`, `${member}-r`)),
  granted(ofGrant, 'g'),
];

const refundVoid = { id: 'rv', purchaseId: 'rv', storeId: 'berlin-07', original: { refundId: `${ofRefund}-r` } };
const correction = { id: 'c', purchaseId: `${ofCorrection}-p`, storeId: 'berlin-07', correctionId: 'C' };
/** What comes too late; the void names another member's card. */
const late = [
  voided(known, `${ofVoid}-p`),
  emission('purchases', 'purchase.voided', { memberId: ofRefund, ...refundVoid, total: total(250) }),
  emission('purchases', 'purchase.corrected', {
    ...{ memberId: ofCorrection, ...correction, previousTotal: total(1_250), total: total(1_000) },
  }),
  emission('rewards', 'reward.revoked', { memberId: ofGrant, id: 'x', grantId: 'g' }),
  emission('members', 'member.opted-out', { memberId: ofConsent, id: 'o', scope: 'sms' }),
];

/** By the mended file. */
const calls: Readonly<Record<string, object>> = {
  [ofVoid]: { operation: 'transaction', targetId: '33', body: { amount: -10 } },
  [ofRefund]: { operation: 'transaction', targetId: '33', body: { amount: 2.5 } },
  [ofCorrection]: { operation: 'transaction', targetId: '33', body: { amount: -2.5 } },
  [ofGrant]: { operation: 'reward', targetId: '9002' },
  [ofConsent]: { operation: 'update-via-workflow', targetId: '78', body: { smsSubscription: 900 } },
  [known]: { operation: 'update-via-workflow', targetId: '78', body: { person: { firstName: 'Ada' } } },
};
const count = Object.keys(calls).length;
const query = 'status=parked reason=unroutable';
const why = { reason: 'the file maps it now' };

describe('what came too late while the programs file mapped no call for it', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(unmapped);
    await issueAtPartner(harness.sandboxUrl, [known]);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
    await produce(harness.broker, harness.topics, inTime);
    await awaitIntents('status=delivered', inTime.length);
    await produce(harness.broker, harness.topics, late);
    await awaitIntents('status=parked&reason=unroutable', count);
  });

  afterAll(() => harness.close());

  async function intents(search: string): Promise<IntentPage['items']> {
    return ((await operator.get(`/intents?${search}&limit=100`)).body as IntentPage).items;
  }

  async function awaitIntents(search: string, wanted: number): Promise<void> {
    const areThere = async (): Promise<boolean> => (await intents(search)).length === wanted;
    await waitUntil(areThere, { what: `${wanted} of ${search}`, timeoutMs: 60_000 });
  }

  const dryRun = async (id: string): Promise<JobView> =>
    (await operator.post('/jobs', { kind: 'replay', id, query, dryRun: true, canary: false, ...why })).body as JobView;
  const items = async (id: string): Promise<JobItemsPage['items']> =>
    ((await operator.get(`/jobs/${id}/items?requests=true`)).body as JobItemsPage).items;
  const memberOf = (intent: string): string => intent.split('~')[1] ?? '';

  /** What the partner has done by member, the newest last. */
  async function done(): Promise<Map<string, LedgerEntry[]>> {
    return Map.groupBy(await readLedger(harness.sandboxUrl), ({ uniqueId }) => uniqueId ?? '');
  }

  let before: Map<string, LedgerEntry[]>;

  it('is refused, item by item, as long as the file maps nothing', async () => {
    before = await done();
    expect((await dryRun('before')).selection).toMatchObject({ byForecast: { 'nothing-to-send': count } });
    expect(await items('before')).toMatchObject(Array.from({ length: count }, () => ({ request: null, changes: [] })));
    await operator.post('/jobs/before/start', why);
    await awaitJob(operator, 'before', ({ state }) => state === 'done');
    expect((await items('before')).map(({ state, detail }) => `${state} ${detail}`)).toEqual(
      Array.from({ length: count }, () => 'refused nothing-to-send'),
    );
    const [{ id } = { id: '' }] = await intents('status=parked&reason=unroutable');
    expect(await operator.post(`/intents/${id}/replay`, why)).toMatchObject({
      ...{ status: 409, body: { type: 'urn:loyaltyd:problem:nothing-to-send' } },
    });
    expect(await done()).toEqual(before);
  });

  it('is shown by a dry run as it will be sent, once the file maps it', async () => {
    await harness.writePrograms(mended);
    expect(await operator.post('/reload', why)).toMatchObject({ status: 200, body: { changed: true, agree: true } });
    expect((await dryRun('after')).selection).toMatchObject({ items: count, byForecast: { 'will-post': count } });
    const shown = await items('after');
    for (const { intent, request, changes = [] } of shown) {
      expect(request).toMatchObject({ method: 'POST', problems: [] });
      expect(changes.find(({ path }) => path === 'operation')).toMatchObject({ to: expect.any(String) as string });
      expect(((await operator.get(`/intents/${intent}`)).body as IntentDetails).nextRequest).toEqual(request);
    }
    const amounts = new Map(
      shown.map(({ intent, changes }) => [memberOf(intent ?? ''), changes?.find(({ path }) => path === 'amount')?.to]),
    );
    expect([ofVoid, ofRefund, ofCorrection].map((member) => amounts.get(member))).toEqual(['-10.00', '2.50', '-2.50']);
    expect(await done()).toEqual(before);
  });

  it('regression: is sent by a replay: one call of each, for whose it is, as the file maps it', async () => {
    await operator.post('/jobs/after/start', why);
    await awaitJob(operator, 'after', ({ state }) => state === 'done');
    expect(await intents('status=parked')).toEqual([]);
    const after = await done();
    for (const [member, call] of Object.entries(calls)) {
      const sent = after.get(member)?.slice(before.get(member)?.length ?? 0);
      expect(sent).toHaveLength(1);
      expect(sent).toMatchObject([call]);
    }
    // Told once more, by another event: it has been taken back.
    const again = voided(ofVoid, `${ofVoid}-p`);
    const value = again.message.value?.toString().replace(`v-${ofVoid}-p`, 'v-again') ?? null;
    await produce(harness.broker, harness.topics, [
      { ...again, message: { ...again.message, value } },
      purchased(ofVoid, 'afterwards'),
    ]);
    await awaitIntents('purchaseId=afterwards&status=delivered', 1);
    expect((await done()).get(ofVoid)).toHaveLength((after.get(ofVoid)?.length ?? 0) + 1);
  });
});
