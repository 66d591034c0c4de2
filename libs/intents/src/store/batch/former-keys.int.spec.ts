import type { ProgramsFile } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { BusinessKey } from '#intents/core';
import type { SourceEvent } from '#events';
import { sampleEvent, routeSourceEvent } from '#events';
import { eventContentText, eventKeyText } from '#events/core';
import { digest } from '#platform';

import type { TestEvent } from '../../testing/records.js';
import { historyOf, Till, waysToBatch } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

const granted = 'loyalty.reward.granted.v1';
const revoked = 'loyalty.reward.revoked.v1';
const completed = 'loyalty.purchase.completed.v1';
const refunded = 'loyalty.purchase.refunded.v1';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(6);
  till = new Till(store);
});

afterEach(() => store.close());

/** Receipts begin anew in each store; grants have numbers of their own. */
function programs(extra = ''): ProgramsFile {
  const text = PROGRAMS_FILE_EXAMPLE.replace('purchaseKey: [purchaseId]', `purchaseKey: [storeId, purchaseId]${extra}`)
    .replace('receipt: purchaseId', 'receipt: { join: [storeId, purchaseId] }')
    .replace('receipt: refundId', 'receipt: { join: [storeId, refundId] }');
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

let ids = 0;

function event(name: Parameters<typeof sampleEvent>[0], data: object, frame: object = {}): SourceEvent {
  ids += 1;
  return sampleEvent(name, { data: { memberId: 'a', ...data }, frame: { id: `e-${ids}`, ...frame } });
}

function recordOf(source: SourceEvent, file: ProgramsFile): TestEvent {
  const route = routeSourceEvent(source, file);
  if (route.kind !== 'routed') throw new Error(JSON.stringify(route));
  const { intents, cancels } = route;
  const rest = { memberEffects: null, enrolmentAsUpdate: null, profilePosition: null } as const;
  const verdict = { eventSource: source.source, intents, cancels, ...rest };
  return { id: eventKeyText(source), type: source.name, content: eventContentText(source), verdict };
}

/** As this release reads it. */
const now = (source: SourceEvent, file = programs()): TestEvent => recordOf(source, file);

/** As the release before recorded it: under the key that it made, and nothing else. */
function before(source: SourceEvent): TestEvent {
  const made = recordOf(source, programs());
  const { storeId = '', grantId } = source.data as unknown as { storeId?: string; grantId: string };
  const former = (key: BusinessKey): BusinessKey => ({
    scope: key.scope,
    parts: [storeId, grantId],
    perGeneration: false,
  });
  const { verdict } = made;
  return {
    ...made,
    verdict: {
      ...verdict,
      intents: verdict.intents.map((intent) => ({ ...intent, businessKey: former(intent.businessKey!) })),
      cancels: verdict.cancels.map((cancel) => ({
        ...cancel,
        target: former(cancel.target as BusinessKey),
        ifTooLate: cancel.ifTooLate && { ...cancel.ifTooLate, businessKey: former(cancel.ifTooLate.businessKey!) },
      })),
    },
  };
}

const inBerlin = { grantId: 'g', storeId: 'berlin-07' };

describe.each(waysToBatch)(
  'grants whose numbers are unique by themselves, in a program that widens its receipts, %s',
  (_name, split) => {
    it.each([
      ['in another shop', { grantId: 'g', storeId: 'hamburg-01' }],
      ['in no shop', { grantId: 'g' }],
    ])('are taken back %s', async (_where, data) => {
      const told = await till.recordInBatches(...split([now(event(granted, inBerlin)), now(event(revoked, data))]));
      expect(told).toEqual(['recorded', 'recorded']);
      expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
    });

    it('are taken back by what came before them', async () => {
      await till.recordInBatches(...split([now(event(revoked, { grantId: 'g' })), now(event(granted, inBerlin))]));
      expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
    });

    it('are the same in every shop', async () => {
      const [first, again] = [event(granted, inBerlin), event(granted, inBerlin)];
      const elsewhere = event(granted, { grantId: 'g', storeId: 'hamburg-01' });
      const later = event(granted, inBerlin, { timeMs: Date.parse('2026-11-22T10:15:04+01:00') });
      expect(await till.recordInBatches(...split([first, again, elsewhere, later].map((each) => now(each))))).toEqual([
        ...['recorded', 'duplicate-business-key', 'duplicate-business-key', 'conflict'],
      ]);
    });

    it('are others in each shop where the program says so, and a revocation names its shop', async () => {
      const file = programs('\n    grantKey: [storeId, grantId]');
      const events = [inBerlin, { grantId: 'g', storeId: 'hamburg-01' }].map((data) => now(event(granted, data), file));
      const revocation = now(event(revoked, { grantId: 'g', storeId: 'hamburg-01' }), file);
      expect(await till.recordInBatches(...split([...events, revocation]))).toEqual([
        'recorded',
        'recorded',
        'recorded',
      ]);
      expect((await historyOf(store, 'a')).at(-1)).toBe('2 IntentCancelled');
    });
  },
);

describe.each([
  ['with its shop', inBerlin],
  ['without', { grantId: 'g' }],
])('what the release before recorded of a grant %s', (_name, data) => {
  it('stands under the key that it made', async () => {
    await till.recordOutcomes(before(event(granted, data)));
    const storeId = 'storeId' in data ? data.storeId : '';
    const text = JSON.stringify(['business', 'coffee-club', 'grant', null, storeId, 'g']);
    expect(await store.sql('SELECT kind FROM dedup WHERE key = $1', digest(text))).toEqual([{ kind: 'business' }]);
  });

  it('is known when it is told again by a new event', async () => {
    await till.recordOutcomes(before(event(granted, data)));
    expect(await till.recordOutcomes(now(event(granted, data)))).toEqual(['duplicate-business-key']);
    expect(await till.recordOutcomes(now(event(granted, { ...data, reward: 'free-coffee', purchaseId: 'x' })))).toEqual(
      ['conflict'],
    );
  });

  it('is taken back', async () => {
    await till.recordOutcomes(before(event(granted, data)));
    expect(await till.recordOutcomes(now(event(revoked, data)))).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
  });

  it('is taken back when it comes: the revocation was first', async () => {
    await till.recordOutcomes(before(event(revoked, data)));
    expect(await till.recordOutcomes(now(event(granted, data)))).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
    const rows = await store.sql<{ kind: string; count: number }>(
      'SELECT kind, count(*)::int AS count FROM dedup GROUP BY kind ORDER BY kind',
    );
    expect(rows).toEqual([
      { kind: 'business', count: 2 },
      { kind: 'event', count: 2 },
    ]);
    expect(await till.recordOutcomes(now(event(granted, data)), now(event(revoked, data)))).toEqual([
      ...['duplicate-business-key', 'nothing-to-cancel'],
    ]);
  });
});

it('a revocation that was recorded too late by the release before is known when it is told again', async () => {
  const { lane_id: laneId } = await (async () => {
    await till.recordOutcomes(before(event(granted, inBerlin)));
    const [lane] = await store.sql<{ lane_id: number }>('SELECT lane_id FROM lane');
    return lane!;
  })();
  await store.sql(
    `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at) VALUES
      ($1, 1, 2, 1, 0, 'AttemptBegun', now()), ($1, 1, 3, 1, 0, 'AttemptApplied', now())`,
    laneId,
  );
  await store.sql('UPDATE lane SET version = 3');
  expect(await till.recordOutcomes(before(event(revoked, inBerlin)))).toEqual(['recorded']);
  expect(await till.recordOutcomes(now(event(revoked, inBerlin)))).toEqual(['duplicate-business-key']);
});

it('a sale and a refund in such a program have the keys that they had', async () => {
  const [sale, refund] = [
    { storeId: 's', purchaseId: '118' },
    { storeId: 's', purchaseId: '118', refundId: 'r' },
  ];
  await till.recordOutcomes(now(event(completed, sale)), now(event(refunded, refund)));
  for (const parts of [
    ['purchase', null, 's', '118'],
    ['refund', null, 's', 'r'],
  ]) {
    const key = digest(JSON.stringify(['business', 'coffee-club', ...parts]));
    expect(await store.sql('SELECT kind FROM dedup WHERE key = $1', key)).toEqual([{ kind: 'business' }]);
  }
  expect(await till.recordOutcomes(now(event(completed, sale)), now(event(refunded, refund)))).toEqual([
    ...['duplicate-business-key', 'duplicate-business-key'],
  ]);
});
