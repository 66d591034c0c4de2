import type { RoutedIntent } from '#intents/core';
import type { PreparedRecord, RecordVerdict } from '#intents';
import { recordBatch, startOffset } from '#intents';
import { UnavailableError } from '#events';

import { ApiProblem } from '../../../problems/api-problem.js';
import { Intake, partlyResubmitted } from '../../../quarantine/quarantine-service.js';
import { bob, eve, ManyFixture, refusalOf } from '../../../testing/many-fixture.js';
import { recordedAt as now } from '../../../testing/sample-records.js';
import { DiscardWork, ResubmitWork } from './record-work.js';

const aside: RecordVerdict = { kind: 'quarantine', reason: 'invalid', detail: 'data.total.minor: expected number' };
const minor = { path: 'data.total.minor', as: 'number' } as const;

interface Said {
  readonly memberId: string;
  readonly purchaseId: string;
  readonly total: { readonly minor: unknown };
}

/** A purchase as a till has sent it. */
function sale(memberId: string, purchaseId: string, amount: unknown = 1_250): string {
  const data = { program: 'coffee-club', memberId, purchaseId, total: { minor: amount } };
  return JSON.stringify({
    specversion: '1.0',
    id: purchaseId,
    source: '/till',
    type: 'loyalty.purchase.completed.v1',
    data,
  });
}

/** What routing makes of it: an amount must be a number. */
function verdictOf(value: string): RecordVerdict {
  const { memberId, purchaseId, total } = (JSON.parse(value) as { readonly data: Said }).data;
  if (typeof total.minor !== 'number') return aside;
  const intent: RoutedIntent = {
    ...{ program: 'coffee-club', memberId, operation: 'transaction', command: null, parked: null, waitsFor: null },
    businessKey: { scope: 'purchase', parts: [purchaseId], perGeneration: false },
    ...{ businessContent: value, facts: { purchaseId } },
  };
  return {
    ...{ kind: 'routed', eventType: 't', eventSource: 's', occurredAt: now, eventContentText: value },
    ...{ eventKeyText: purchaseId, intents: [intent], cancels: [], memberEffects: null },
    ...{ enrolmentAsUpdate: null, profilePosition: null },
  };
}

describe('records set aside, many at once, as a job', () => {
  let many: ManyFixture;
  /** Called as each record is routed: may throw. */
  let onRoute: () => void;

  beforeEach(async () => {
    onRoute = () => undefined;
    const intake: Intake = {
      hasDeadLetters: true,
      unpack: () => {
        throw new Error('there is no batch');
      },
      route: async ({ original }) => {
        onRoute();
        const verdict = verdictOf(Buffer.from(original.value ?? '').toString());
        return { records: [{ original, verdict }], programsHash: Buffer.alloc(16), isMapped: false };
      },
    };
    many = await ManyFixture.open([[Intake, intake]]);
  });

  afterEach(() => many.close());

  /** Sets these aside, one after the other, in a partition of their own. */
  async function setAside(topic: string, partition: number, texts: readonly string[]): Promise<void> {
    const { database, ingestKeys } = many.fixture;
    const source = { clusterId: 'c', topic, incarnation: 1, partition };
    await startOffset(database, source, 0);
    const records = texts.map((text, offset): PreparedRecord => {
      const original = { offset, brokerAt: now, key: null, value: Buffer.from(text), headersText: '{}' };
      return { original, verdict: aside, origin: { source: '/till', store: null, program: null } };
    });
    const batch = { source, records, fromOffset: 0, nextOffset: texts.length, now, programsHash: Buffer.alloc(16) };
    await recordBatch(database, batch, ingestKeys);
  }

  /** The second record that is routed from now on meets this. */
  function second(error: () => Error): void {
    let routed = 0;
    onRoute = () => {
      routed += 1;
      if (routed === 2) throw error();
    };
  }

  const purchases = async (): Promise<string[]> =>
    (await many.fixture.sql<{ id: string }>('SELECT purchase_id AS id FROM intent ORDER BY pos')).map(({ id }) => id);
  const actions = async (): Promise<string[]> =>
    (
      await many.fixture.sql<{ action: string }>(
        `SELECT action FROM operator_action WHERE action LIKE 'quarantine%' ORDER BY action_id`,
      )
    ).map(({ action }) => action);
  const byState = async (id: string): Promise<Readonly<Record<string, number>> | undefined> =>
    (await many.one(id)).selection?.byState;

  it('are each tried before they are planned: how many are refused again, and by which rule; and nothing is kept of it', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2', '20'), sale('m', '3', '30'), sale('m', '4')]);
    const asked = await many.plan({ kind: 'resubmit', id: 'r', query: 'reason=invalid source=/till' });
    expect(asked).toMatchObject({ state: 'waiting', startedAt: null, selection: { byForecast: { untried: 4 } } });
    expect(await refusalOf(many.start('r', { items: 4 }))).toBe('409 job-state');
    await many.turns(ResubmitWork, 2);
    const planned = await many.one('r');
    expect(planned).toMatchObject({ state: 'planned', startedAt: null, progress: { tried: 4 } });
    expect(planned.selection).toMatchObject({
      ...{ items: 4, members: null, byForecast: { 'will-be-taken': 2, 'refused-again': 2 } },
      refusedBy: [{ rule: 'invalid: data.total.minor: expected number', records: 2 }],
    });
    expect(await purchases()).toEqual([]);
    expect(await actions()).toEqual([]);
  });

  it('are taken in as they came: by topic, partition and offset, whatever order they were set aside in', async () => {
    await setAside('b', 0, [sale('m', '5'), sale('m', '6')]);
    await setAside('a', 1, [sale('m', '3'), sale('m', '4', 'x')]);
    await setAside('a', 0, [sale('m', '1'), sale('m', '2')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {} });
    await many.turns(ResubmitWork, 2);
    expect(await refusalOf(many.start('r', { items: 5 }))).toBe('422 count-differs');
    await many.start('r', { items: 6 });
    await many.turns(ResubmitWork, 2);
    expect(await purchases()).toEqual(['1', '2', '3', '5', '6']);
    expect(await byState('r')).toEqual({ done: 5, refused: 1 });
    const items = await many.items('r');
    expect(items.map(({ record, intent, state }) => [record, intent, state])).toEqual([
      [5, 'coffee-club~m~1', 'done'],
      [6, 'coffee-club~m~2', 'done'],
      [3, 'coffee-club~m~3', 'done'],
      [4, null, 'refused'],
      [1, 'coffee-club~m~4', 'done'],
      [2, 'coffee-club~m~5', 'done'],
    ]);
    expect(items[3]?.detail).toBe('invalid: data.total.minor: expected number');
    const traces = await many.fixture.sql(
      `SELECT actor, reason, count(*) FROM operator_action WHERE action = 'quarantine.resubmit' GROUP BY 1, 2`,
    );
    expect(traces).toEqual([{ actor: 'bob', reason: 'all were looked at', count: 5 }]);
  });

  it('are corrected alike: the first are shown as they are and as they are taken, with what would come of them', async () => {
    await setAside('a', 0, [sale('m', '1', '1250'), sale('m', '2', '007'), sale('m', '3', '20')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {}, sendAs: minor }, eve);
    await many.turns(ResubmitWork, 2);
    const { selection } = await many.one('r');
    expect(selection?.byForecast).toEqual({ 'will-be-taken': 2, 'cannot-be-corrected': 1 });
    expect(selection?.refusedBy?.[0]?.rule).toContain('no number that would stay the same');
    const [first, second] = await many.items('r', true);
    expect(first?.changes?.map(({ path }) => path)).toEqual(['value.data.total.minor']);
    expect(first?.becomes).toMatchObject([{ result: 'taken', why: null, calls: [{ operation: 'transaction' }] }]);
    expect(second).toMatchObject({ changes: [], becomes: [] });
    await many.start('r', { items: 3 }, eve);
    await many.turns(ResubmitWork, 2);
    expect(await purchases()).toEqual(['1', '3']);
    const [kept] = await many.fixture.sql<{ corrections: number }>(
      'SELECT count(*) AS corrections FROM quarantine_settlement WHERE sealed_correction IS NOT NULL',
    );
    expect(kept?.corrections).toBe(2);
  });

  it('take an admin for what takes one for a single one', async () => {
    await setAside('a', 0, [sale('m', '1', '1250')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {}, sendAs: minor }, bob);
    await many.turns(ResubmitWork, 2);
    expect((await many.one('r')).selection?.byForecast).toEqual({ 'needs-admin': 1 });
    await many.start('r', { items: 1 }, bob);
    await many.turns(ResubmitWork, 2);
    expect(await byState('r')).toEqual({ refused: 1 });
    expect(await purchases()).toEqual([]);
  });

  it('are not corrected by what is one person’s own, nor in two ways, and none is none', async () => {
    await setAside('a', 0, [sale('m', '1')]);
    const query = {};
    const personal = { data: { person: { firstName: 'Ada' } } };
    expect(await refusalOf(many.plan({ kind: 'resubmit', query, patch: personal }))).toBe('400 invalid-request');
    expect(await refusalOf(many.plan({ kind: 'resubmit', query, patch: {}, sendAs: minor }))).toBe(
      '400 invalid-request',
    );
    expect(await refusalOf(many.plan({ kind: 'resubmit', query: 'colour=red' }))).toBe('400 invalid-request');
    expect(await refusalOf(many.plan({ kind: 'discard', query: { topic: 'b' } }))).toBe('422 nothing-to-do');
    const limited = { ...bob, programs: ['coffee-club'] };
    expect(await refusalOf(many.plan({ kind: 'discard', query }, limited))).toBe('403 limited-to-programs');
  });

  it('are given up with a trace each, those that were selected and none that came later', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2')]);
    const planned = await many.plan({ kind: 'discard', id: 'd', query: { reason: 'invalid' } });
    expect(planned).toMatchObject({ state: 'planned', selection: { byForecast: { 'will-be-discarded': 2 } } });
    await setAside('a', 1, [sale('m', '3')]);
    await many.start('d', { items: 2 });
    await many.turns(DiscardWork, 2);
    expect(await byState('d')).toEqual({ done: 2 });
    expect(await actions()).toEqual(['quarantine.discard', 'quarantine.discard']);
    const open = await many.fixture.sql(`SELECT partition FROM quarantine WHERE state = 'open'`);
    expect(open).toEqual([{ partition: 1 }]);
  });

  it('are dealt with by the faster of two', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {} });
    await many.turns(ResubmitWork, 2);
    await many.plan({ kind: 'discard', id: 'd', query: {} });
    await many.start('d', { items: 2 });
    await many.turns(DiscardWork, 2);
    await many.start('r', { items: 2 });
    await many.turns(ResubmitWork, 2);
    expect(await byState('r')).toEqual({ refused: 2 });
    expect((await many.items('r'))[0]?.detail).toMatch(/^It was discarded by bob at /);
    expect(await purchases()).toEqual([]);
  });

  it('wait while what is needed to read them is away, and are then each taken in once', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2'), sale('m', '3')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {} });
    await many.turns(ResubmitWork, 2);
    await many.start('r', { items: 3 });
    second(() => new UnavailableError('the registry is away'));
    await expect(many.turns(ResubmitWork, 1)).rejects.toThrow('away');
    expect(await purchases()).toEqual(['1']);
    await many.turns(ResubmitWork, 2);
    expect(await purchases()).toEqual(['1', '2', '3']);
    expect(await byState('r')).toEqual({ done: 3 });
  });

  it('regression: wait behind a record batch of which only a part is taken in', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2'), sale('m', '3')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {} });
    await many.turns(ResubmitWork, 2);
    await many.start('r', { items: 3 });
    second(() => new ApiProblem({ status: 409, code: partlyResubmitted, title: 'A part', detail: 'Ask again.' }));
    await many.turns(ResubmitWork, 1);
    expect(await purchases()).toEqual(['1']);
    expect(await byState('r')).toEqual({ done: 1, waiting: 2 });
    await many.turns(ResubmitWork, 2);
    expect(await purchases()).toEqual(['1', '2', '3']);
  });

  it('leave a defect of ours with the record that has it', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2'), sale('m', '3')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {} });
    await many.turns(ResubmitWork, 2);
    await many.start('r', { items: 3 });
    second(() => new TypeError('secret'));
    await many.turns(ResubmitWork, 2);
    expect(await purchases()).toEqual(['1', '3']);
    const [, refused] = await many.items('r');
    expect(refused).toMatchObject({
      state: 'refused',
      detail: 'Our own code failed on it (TypeError). Please report it.',
    });
  });

  it('stop where their job is cancelled: what is done stays done', async () => {
    await setAside('a', 0, [sale('m', '1'), sale('m', '2')]);
    await many.plan({ kind: 'resubmit', id: 'r', query: {} });
    await many.cancel('r');
    await many.turns(ResubmitWork, 1);
    expect(await many.one('r')).toMatchObject({ state: 'cancelled', selection: { byState: { skipped: 2 } } });
    expect(await purchases()).toEqual([]);
  });
});
