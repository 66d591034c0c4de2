import type { IntentEvent } from '#intents/core';

import { bob, eve, ManyFixture, refusalOf } from '../../../testing/many-fixture.js';
import { purchase } from '../../../testing/sample-records.js';
import { CancelWork, ResolveWork } from './decide-work.js';

const doubt = (at: number): IntentEvent[] => [
  { type: 'AttemptUnknown', at, attempt: 1, code: 'timeout', checkAt: null },
  { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' },
];

describe('a word about many, as a job', () => {
  let many: ManyFixture;

  beforeEach(async () => {
    many = await ManyFixture.open();
    await many.fixture.record([purchase('p-1', 'm-1'), purchase('p-2', 'm-2'), purchase('p-3', 'm-3')]);
    await many.fixture.endDue((_member, at) => ({ evidence: {}, events: doubt(at) }));
  });

  afterEach(() => many.close());

  const query = 'reason=unknown-outcome';

  it('is planned: how many, whose, for how much; and begins once who starts it says how many', async () => {
    const planned = await many.plan({ kind: 'resolve', id: 'r', query, as: 'delivered' });
    expect(planned).toMatchObject({ state: 'planned', selection: { items: 3, members: 3 } });
    expect(planned.selection?.money).toEqual([{ currency: 'EUR', minor: 17_997, digits: 2 }]);
    await many.turns(ResolveWork);
    expect(await refusalOf(many.start('r', {}))).toBe('422 count-differs');
    expect(await refusalOf(many.start('r', { items: 4 }))).toBe('422 count-differs');
    await many.start('r', { items: 3 });
    await many.turns(ResolveWork);
    expect(await many.one('r')).toMatchObject({ state: 'done', selection: { byState: { done: 3 } } });
    expect(Object.values(await many.standings())).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('is of what was seen: what has moved since is refused, each by itself', async () => {
    await many.plan({ kind: 'resolve', id: 'r', query, as: 'delivered' });
    await many.plan({ kind: 'resolve', id: 'first', query: 'memberId=m-2', as: 'not-delivered' });
    await many.start('first', { items: 1, canary: false });
    await many.turns(ResolveWork, 1);
    await many.start('r', { items: 3 });
    await many.turns(ResolveWork);
    expect((await many.items('r')).map(({ state, detail }) => [state, detail])).toEqual([
      ['done', null],
      ['refused', 'changed-since'],
      ['done', null],
    ]);
  });

  it('cancels what is in doubt only where somebody has looked, and all of it stays undone once it is stopped', async () => {
    await many.plan({ kind: 'cancel', id: 'c', query });
    await many.start('c', { items: 3 });
    await many.turns(CancelWork);
    expect((await many.one('c')).selection?.byState).toEqual({ refused: 3 });
    await many.plan({ kind: 'cancel', id: 'd', query, notDelivered: true });
    await many.start('d', { items: 3 });
    await many.turns(CancelWork);
    expect(Object.values(await many.standings())).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('does nothing for who may not, and is told in the audit with its reason', async () => {
    expect(await refusalOf(many.plan({ kind: 'resolve', query, as: 'delivered' }, { ...bob, role: 'viewer' }))).toBe(
      '403 role',
    );
    await many.plan({ kind: 'resolve', id: 'r', query, as: 'delivered' }, eve);
    expect(await refusalOf(many.start('r', { items: 3 }, bob))).toBe('403 role');
    await many.start('r', { items: 3 }, eve);
    expect(await many.fixture.sql('SELECT action, actor, reason FROM operator_action ORDER BY action_id')).toEqual([
      { action: 'resolve.plan', actor: 'eve', reason: 'the till was wrong' },
      { action: 'resolve.start', actor: 'eve', reason: 'all were looked at' },
    ]);
  });
});
