import type { Batches, TestEvent } from '../../testing/records.js';
import { now, purchase, Till, transactionIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

/** The same purchase told by another event, or with another amount. */
function sale(id: string, purchaseId: string, amount = '5999'): TestEvent {
  const intent = transactionIntent('a', purchaseId, { businessContent: amount });
  const event = purchase(id, 'a', purchaseId);
  return { ...event, content: `${purchaseId} ${amount}`, verdict: { ...event.verdict, intents: [intent] } };
}

const told = (...batches: Batches): Promise<string[]> => new Till(store).recordInBatches(...batches);

/** The same events in one batch and in one batch each must come to the same. */
async function toldBothWays(events: readonly TestEvent[]): Promise<string[]> {
  const apart = await told(...events.map((event) => [event]));
  await store.close();
  store = await testStore(4);
  expect(await told(events)).toEqual(apart);
  return apart;
}

async function intents(): Promise<string[]> {
  const rows = await store.sql<{ purchase_id: string }>('SELECT purchase_id FROM intent ORDER BY lane_id, seq');
  return rows.map((row) => row.purchase_id);
}

describe('an event', () => {
  it('told again is ignored; with another body it is a conflict', async () => {
    expect(await toldBothWays([sale('1', 'p'), sale('1', 'p'), sale('1', 'p', '1')])).toEqual([
      ...['recorded', 'duplicate-event', 'conflict'],
    ]);
    expect(await intents()).toEqual(['p']);
  });
});

describe('a business key', () => {
  it('told by another event is ignored; with other content it is a conflict', async () => {
    expect(await toldBothWays([sale('1', 'p'), sale('2', 'p'), sale('3', 'p', '1'), sale('2', 'p')])).toEqual([
      ...['recorded', 'duplicate-business-key', 'conflict', 'duplicate-event'],
    ]);
    expect(await intents()).toEqual(['p']);
  });

  it('is one program\u2019s: another may use it, too', async () => {
    const elsewhere = sale('2', 'p');
    const intent = { ...transactionIntent('a', 'p'), program: 'tea-club' };
    expect(
      await told([sale('1', 'p')], [{ ...elsewhere, verdict: { ...elsewhere.verdict, intents: [intent] } }]),
    ).toEqual([...['recorded', 'recorded']]);
  });

  it('belongs to the program, not to the member: told for another one it is still the same', async () => {
    const other = purchase('2', 'b', 'p');
    expect(await told([sale('1', 'p')], [other])).toEqual(['recorded', 'duplicate-business-key']);
  });
});

describe('a conflict', () => {
  it('leaves no identity behind: the corrected resend under the same event id is accepted', async () => {
    expect(await toldBothWays([sale('1', 'p'), sale('2', 'p', '1'), sale('2', 'q')])).toEqual([
      ...['recorded', 'conflict', 'recorded'],
    ]);
    expect(await intents()).toEqual(['p', 'q']);
    const rows = await store.sql('SELECT reason, detail FROM quarantine');
    expect(rows).toEqual([{ reason: 'conflict', detail: 'business-key' }]);
  });
});

describe('an event with several intents', () => {
  it('is remembered once, with its first intent', async () => {
    const event = sale('1', 'p');
    const both = [transactionIntent('a', 'p'), { ...transactionIntent('b', 'p2'), businessKey: null }];
    const wide = { ...event, verdict: { ...event.verdict, intents: both } };
    expect(await told([wide], [wide])).toEqual(['recorded', 'duplicate-event']);
    const rows = await store.sql('SELECT kind, seq, lane_id IS NOT NULL AS placed FROM dedup ORDER BY kind');
    expect(rows).toEqual([
      { kind: 'business', seq: 1, placed: true },
      { kind: 'event', seq: 1, placed: true },
    ]);
    expect(await intents()).toEqual(['p', 'p2']);
  });
});

describe('a refund', () => {
  const refund = (id: string, of: string, memberId = 'a'): TestEvent => {
    const waitsFor = { scope: 'purchase', parts: [of], perGeneration: false } as const;
    const intent = transactionIntent(memberId, id, { waitsFor });
    const event = sale(id, id);
    const businessKey = { scope: 'refund', parts: [id], perGeneration: false } as const;
    return { ...event, verdict: { ...event.verdict, intents: [{ ...intent, businessKey }] } };
  };

  it('of another member\u2019s purchase waits for its key, and for nothing of its own member', async () => {
    await told([sale('1', 'p1')], [sale('2', 'p2'), refund('r1', 'p1', 'b'), refund('r2', 'p2', 'b')]);
    const rows = await store.sql(
      `SELECT w.waits_for_seq, i.purchase_id FROM intent w JOIN member m USING (lane_id)
       LEFT JOIN dedup d ON d.key = w.waits_for_key LEFT JOIN intent i ON i.lane_id = d.lane_id AND i.seq = d.seq
       WHERE m.member_id = $1 ORDER BY w.seq`,
      'b',
    );
    expect(rows).toEqual([
      { waits_for_seq: null, purchase_id: 'p1' },
      { waits_for_seq: null, purchase_id: 'p2' },
    ]);
  });

  it('knows the purchase that it waits for, in its batch or before it', async () => {
    await told([sale('1', 'p1')], [sale('2', 'p2'), refund('r1', 'p1'), refund('r2', 'p2'), refund('r3', 'never')]);
    const rows = await store.sql('SELECT seq, waits_for_seq FROM intent ORDER BY seq');
    expect(rows).toEqual([
      { seq: 1, waits_for_seq: null },
      { seq: 2, waits_for_seq: null },
      { seq: 3, waits_for_seq: 1 },
      { seq: 4, waits_for_seq: 2 },
      { seq: 5, waits_for_seq: null },
    ]);
  });
});

describe('an intent that is born parked', () => {
  it('is parked as it is recorded, its lane goes over it', async () => {
    const parked = { reason: 'unroutable', detail: 'no workflow' } as const;
    const event = sale('1', 'p');
    const born = { ...transactionIntent('a', 'p'), command: null, parked };
    await told([{ ...event, verdict: { ...event.verdict, intents: [born] } }, sale('2', 'q')]);
    const rows = await store.sql('SELECT seq, version, type, data FROM intent_history');
    expect(rows).toEqual([
      { seq: 1, version: 3, type: 'IntentParked', data: { reason: 'unroutable', lane: 'continue' } },
    ]);
    const [lane] = await store.sql('SELECT cur_seq, due_at, state, revision, version FROM lane');
    expect(lane).toEqual({ cur_seq: 1, due_at: now, state: 'live', revision: 1, version: 3 });
  });
});
