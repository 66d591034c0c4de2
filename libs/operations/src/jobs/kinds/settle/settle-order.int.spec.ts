import type { IntentEvent } from '#intents/core';

import { bob, eve, ManyFixture, refusalOf } from '../../../testing/many-fixture.js';
import { purchase, recordedAt, reward } from '../../../testing/sample-records.js';
import { ReplayWork } from '../replay/replay-work.js';
import { SettleWork } from '../decide/decide-work.js';

const minute = 60_000;
const isoAt = (ms: number): string => new Date(recordedAt + ms).toISOString();
const doubt = (at: number): IntentEvent[] => [
  { type: 'AttemptUnknown', at, attempt: 1, code: 'timeout', checkAt: null },
  { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' },
];

describe('settling by the partner’s list', () => {
  let many: ManyFixture;

  beforeEach(async () => {
    many = await ManyFixture.open();
    const good = isoAt(1e9);
    await many.fixture.record([
      ...[purchase('p-1', 'm-1'), purchase('p-2', 'm-2'), purchase('p-3', 'm-3'), reward('g-4', 'm-4', good)],
      ...[purchase('p-8', 'm-8'), purchase('p-9', 'm-9')],
    ]);
    const delivered = ['m-8', 'm-9'];
    await many.fixture.endDue((member, at) => ({
      evidence: {},
      events: delivered.includes(member) ? [{ type: 'AttemptApplied', at, attempt: 1 }] : doubt(at),
    }));
    many.fixture.clock.at = recordedAt + 10 * minute;
  });

  afterEach(() => many.close());

  const query = 'program=coffee-club';
  const list = 'member,type,receipt,amount\nm-1,31,p-1,59.99\nm-8,31,p-8,59.99\nm-9,31,p-9,59.99\n';
  const complete = { from: isoAt(-minute), to: isoAt(5 * minute), types: ['31'] };
  const forecasts = async (id: string): Promise<(string | null)[]> =>
    (await many.items(id)).map(({ forecast }) => forecast);

  it('what is there is delivered; what is not stays in doubt, whoever asks; nothing of the list is kept', async () => {
    const planned = await many.plan({ kind: 'settle', id: 's', query, list });
    expect(planned.selection?.byForecast).toEqual({ listed: 1, unproven: 3 });
    expect(JSON.stringify(planned.request)).not.toContain('p-8');
    await many.start('s', { items: 4 });
    await many.turns(SettleWork);
    expect((await many.one('s')).selection?.byState).toEqual({ done: 1, skipped: 3 });
    expect(await many.standings()).toMatchObject({ 'm-1': 'delivered', 'm-2': 'parked unknown-outcome' });
  });

  it('what a whole list does not have is no longer in doubt by an admin’s word, is not sent by it, and by a replay is', async () => {
    expect(await refusalOf(many.plan({ kind: 'settle', query, list, complete }, bob))).toBe('403 role');
    const planned = await many.plan({ kind: 'settle', id: 's', query, list, complete }, eve);
    expect(await forecasts('s')).toEqual(['listed', 'not-listed', 'not-listed', 'unproven']);
    expect(planned.selection?.notes).toEqual([]);
    expect(await refusalOf(many.start('s', { items: 4 }, bob))).toBe('403 role');
    await many.start('s', { items: 4 }, eve);
    await many.turns(SettleWork);
    expect(await many.standings()).toMatchObject({ 'm-2': 'parked not-delivered', 'm-3': 'parked not-delivered' });
    const events = `SELECT type FROM intent_event JOIN member USING (lane_id) WHERE member_id = 'm-2' ORDER BY version`;
    const types = (await many.fixture.sql<{ type: string }>(events)).map(({ type }) => type);
    expect(types).toEqual(['AttemptUnknown', 'IntentParked', 'IntentResolved', 'IntentParked']);
    await many.plan({ kind: 'replay', id: 'r', query: 'reason=not-delivered', canary: false });
    await many.turns(ReplayWork);
    expect(await many.standings()).toMatchObject({ 'm-2': 'open', 'm-3': 'open' });
  });

  it('a list that lacks what we know to be delivered proves no absence, and says so', async () => {
    const short = list.replace('m-9,31,p-9,59.99\n', '');
    const planned = await many.plan({ kind: 'settle', id: 's', query, list: short, complete }, eve);
    expect(planned.selection?.byForecast).toEqual({ listed: 1, unproven: 3 });
    expect(planned.selection?.notes).toEqual([
      'Nothing is taken for absent: 1 of 2 that we know to be delivered in that time are not in it.',
    ]);
  });

  it('nor does one of which nothing delivered bears witness, nor of what may still take effect in its time', async () => {
    const early = { ...complete, to: isoAt(1_000) };
    await many.plan({ kind: 'settle', id: 'e', query, list, complete: early }, eve);
    expect(await forecasts('e')).toEqual(['listed', 'unproven', 'unproven', 'unproven']);
    const ahead = { ...complete, to: isoAt(20 * minute) };
    expect(await refusalOf(many.plan({ kind: 'settle', query, list, complete: ahead }, eve))).toBe(
      '400 invalid-request',
    );
  });
});
