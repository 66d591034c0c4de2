import { eve, ManyFixture, refusalOf } from '../../../testing/many-fixture.js';
import { purchase } from '../../../testing/sample-records.js';
import { CorrectWork } from './correct-work.js';

const campaign = { path: 'attributes.campaign', as: 'text' } as const;

describe('a correction of many, as a job', () => {
  let many: ManyFixture;

  beforeEach(async () => {
    many = await ManyFixture.open();
    await many.fixture.record([
      purchase('p-1', 'm-1', '59.99', { campaign: 4_711 }),
      purchase('p-2', 'm-2', '59.99', { campaign: 4_712 }),
      purchase('p-3', 'm-3', '59.99', { campaign: 'SPRING' }),
    ]);
    await many.fixture.deliverDue(() => true);
  });

  afterEach(() => many.close());

  const query = 'reason=rejected';

  it('shows before anything is done what it makes of each, with the request that would be sent', async () => {
    const planned = await many.plan({ kind: 'correct', id: 'c', query, sendAs: campaign, replay: true });
    expect(planned.selection?.byForecast).toEqual({ 'will-change': 2, 'nothing-changed': 1 });
    const [first, , third] = await many.items('c', true);
    expect(first?.changes?.map(({ path }) => path)).toEqual(['attributes.campaign']);
    expect(first?.request).toMatchObject({ method: 'POST' });
    expect(third).toMatchObject({ state: 'skipped', detail: 'nothing-changed', changes: [] });
  });

  it('corrects and sends each in one transaction, and tells of each what came of it', async () => {
    await many.plan({ kind: 'correct', id: 'c', query, sendAs: campaign, replay: true });
    await many.start('c', { items: 3, canary: false });
    await many.turns(CorrectWork, 2);
    expect(await many.standings()).toEqual({ 'm-1': 'open', 'm-2': 'open', 'm-3': 'parked rejected' });
    const corrected = await many.fixture.sql<{ type: string }>(
      `SELECT type FROM intent_event WHERE type IN ('IntentCorrected', 'IntentReplayed') ORDER BY lane_id, version`,
    );
    expect(corrected.map(({ type }) => type)).toEqual(Array(2).fill(['IntentCorrected', 'IntentReplayed']).flat());
    expect((await many.one('c')).selection?.byState).toEqual({ sent: 2, skipped: 1 });
  });

  it('takes an admin for what takes one for a single one, and changes nothing of what is in doubt', async () => {
    const patch = { amount: '1.00' };
    const planned = await many.plan({ kind: 'correct', id: 'c', query, patch });
    expect(planned.selection?.byForecast).toEqual({ 'needs-admin': 3 });
    await many.start('c', { items: 3 });
    await many.turns(CorrectWork);
    expect((await many.one('c')).selection?.byState).toEqual({ refused: 3 });
    await many.plan({ kind: 'correct', id: 'd', query, patch }, eve);
    await many.start('d', { items: 3 }, eve);
    await many.turns(CorrectWork);
    expect((await many.one('d')).selection?.byState).toEqual({ done: 3 });
  });

  it('is not of what is one person’s own, nor of a field that cannot be sent so', async () => {
    const person = { content: { person: { firstName: 'Ada' } } };
    expect(await refusalOf(many.plan({ kind: 'correct', query, patch: person }))).toBe('400 invalid-request');
    expect(await refusalOf(many.plan({ kind: 'correct', query }))).toBe('400 invalid-request');
    const planned = await many.plan({ kind: 'correct', id: 'n', query, sendAs: { ...campaign, as: 'number' } });
    expect(planned.selection?.byForecast).toEqual({ 'nothing-changed': 2, 'cannot-be-corrected': 1 });
  });
});
