import { at, atMs, event, intent } from './intent-fixture.js';
import { type Surroundings, whatNext } from './what-next.js';

const lane = { state: 'live', dueAt: null, isHeld: false, next: 'coffee-club~m-1~3', queued: 1 } as const;
const alone: Surroundings = { lane, pauses: [], isPartnerAway: false };

describe('what happens next', () => {
  it('is nothing once it is settled', () => {
    expect(whatNext(intent({ status: 'delivered' }), alone, 0).title).toContain('the partner has it');
    const cancelled = event('IntentCancelled', 5, { data: { by: 'ada', reason: 'test purchase' } });
    expect(whatNext(intent({ status: 'cancelled', events: [cancelled] }), alone, 0).words).toBe(
      'By ada: test purchase',
    );
  });

  it('is another try at the time that the last one named', () => {
    const events = [event('AttemptNotApplied', 0, { attempt: 1, data: { code: 'http-503', retryAt: atMs(12_000) } })];
    expect(whatNext(intent({ events }), alone, atMs(0))).toMatchObject({ title: 'Tries again', at: at(12_000) });
    expect(whatNext(intent({ events }), alone, atMs(13_000)).title).toContain('It is due');
  });

  it('is a replay once it was corrected after the refusal: nothing says then that it is refused again', () => {
    const events = [event('IntentParked', 0), event('IntentCorrected', 1, { data: { by: 'ada' } })];
    const of = intent({ status: 'parked', reason: 'rejected', events });
    expect(whatNext(of, alone, 0)).toMatchObject({ title: 'It was corrected: replay it' });
    expect(JSON.stringify(whatNext(of, alone, 0))).not.toContain('again');
    expect(whatNext({ ...of, events: [...events, event('IntentParked', 2)] }, alone, 0).title).toBe(
      'A person must look',
    );
  });

  it('is nothing while somebody has paused it', () => {
    const pause = {
      program: 'coffee-club',
      operation: null,
      factor: null,
      since: at(0),
      until: null,
      by: 'ada',
      reason: 'type 31 changes',
      automatic: false,
    };
    const paused = whatNext(intent(), { ...alone, pauses: [pause] }, 0);
    expect(paused).toMatchObject({ tone: 'person', link: 'pauses', words: 'ada paused it: type 31 changes' });
    const unknown = whatNext(intent({ status: 'unknown' }), { ...alone, pauses: [pause] }, 0);
    expect(unknown.link).toBe('pauses');
    expect(unknown.title).toContain('no evidence is looked for');
    const itself = whatNext(intent(), { ...alone, pauses: [{ ...pause, automatic: true }] }, 0);
    expect(itself.title).toContain('one is tried now and then');
    // Of a pause of some calls only the lanes that it has deferred are held.
    const some = { ...pause, operation: 'transaction', factor: 'store:s1' } as const;
    const deferred = { ...alone.lane, dueAt: '3001-01-01T00:00:00.000Z' } as NonNullable<Surroundings['lane']>;
    const told = intent({ storeId: 's1' });
    expect(whatNext(told, { ...alone, pauses: [some] }, 0).title).toContain('It is due');
    expect(whatNext(told, { ...alone, lane: deferred, pauses: [some] }, 0).title).toContain('it is not sent');
    const elsewhere = { ...some, factor: 'store:nowhere' };
    expect(whatNext(told, { ...alone, lane: deferred, pauses: [elsewhere] }, 0).title).not.toContain('Paused');
    const ending = { ...pause, until: at(9) };
    expect(whatNext(intent(), { ...alone, pauses: [ending] }, 0)).toMatchObject({
      ...{ title: 'Paused: it is not sent until its time is over', at: at(9) },
    });
    expect(whatNext(intent(), { ...alone, pauses: [{ ...pause, operation: 'reward' }] }, 0).title).toContain(
      'It is due',
    );
  });

  it('waits for what stands before it in its queue', () => {
    const before = { ...lane, next: 'coffee-club~m-1~2', queued: 2 };
    expect(whatNext(intent(), { ...alone, lane: before }, 0)).toMatchObject({
      tone: 'calm',
      link: { intent: before.next },
    });
    const blocked = { ...before, state: 'blocked' as const };
    expect(whatNext(intent(), { ...alone, lane: blocked }, 0)).toMatchObject({
      tone: 'person',
      link: { intent: before.next },
    });
  });

  it('is said to be held up where the partner fails', () => {
    expect(whatNext(intent(), { ...alone, isPartnerAway: true }, 0).title).toContain('the partner fails');
  });

  it('waits for a pass or a purchase, and looks again', () => {
    const events = [event('WaitingBegan', 0, { data: { for: 'pass', recheckAt: atMs(5_000) } })];
    expect(whatNext(intent({ status: 'waiting', events }), alone, 0)).toMatchObject({
      title: 'Waits for the member’s pass',
      at: at(5_000),
      link: 'member',
    });
  });

  it('looks for evidence of what is unknown', () => {
    const events = [event('AttemptUnknown', 0, { attempt: 1, data: { code: 'reset', checkAt: atMs(3_000) } })];
    expect(whatNext(intent({ status: 'unknown', events }), alone, 0)).toMatchObject({ tone: 'doubt', at: at(3_000) });
  });

  it('is a person where it is parked, with what waits behind it', () => {
    const events = [event('IntentParked', 0, { data: { reason: 'rejected', lane: 'block' } })];
    const { title, words } = whatNext(intent({ status: 'parked', reason: 'rejected', events }), alone, 0);
    expect(title).toBe('A person must look');
    expect(words).toContain('Everything behind it');
  });
});
