import { ApiProblem } from '../api/api-problem.js';
import { commandsOf, quoted } from './commands.js';
import { comesBackEachTime, obstacleOf, ranksOf, withAdvice } from './actions.js';
import { event, intent } from './intent-fixture.js';

const parked = intent({ status: 'parked', reason: 'rejected' });
const doubtful = intent({ status: 'parked', reason: 'unknown-outcome' });

describe('what can be done to an intent', () => {
  it('is nothing once it is settled, or while the daemon is at it', () => {
    for (const status of ['delivered', 'cancelled', 'delivering', 'unknown'] as const) {
      expect(obstacleOf(intent({ status }), 'cancel')).not.toBeNull();
    }
  });

  it('is everything to what is parked, but to send again what may have taken effect', () => {
    for (const action of ['replay', 'correct', 'cancel', 'delivered', 'not-delivered'] as const) {
      expect(obstacleOf(parked, action)).toBeNull();
    }
    expect(obstacleOf(doubtful, 'replay')).toContain('look at the partner');
    expect(obstacleOf(doubtful, 'delivered')).toBeNull();
  });

  it('is to cancel and to correct what is still to be sent', () => {
    expect(obstacleOf(intent(), 'cancel')).toBeNull();
    expect(obstacleOf(intent(), 'correct')).toBeNull();
    expect(obstacleOf(intent(), 'replay')).toContain('by itself');
  });

  it('takes an admin where it comes back each time', () => {
    const events = [1, 2, 3, 4].map(() => event('IntentReplayed', 0));
    expect(comesBackEachTime(intent({ events }))).toBe(false);
    const resolved = event('IntentResolved', 0, { data: { as: 'not-delivered' } });
    expect(comesBackEachTime(intent({ events: [...events, resolved] }))).toBe(true);
  });
});

describe('which action stands out', () => {
  it('is to correct what was refused, then to replay it, and never to say that it was delivered', () => {
    const more = ['delivered', 'not-delivered', 'cancel'];
    expect(ranksOf(parked, null)).toEqual({ main: 'correct', beside: ['replay'], more });
    const corrected = {
      ...parked,
      events: [event('IntentParked', 2, {}), event('IntentCorrected', 3, { data: { by: 'ada' } })],
    };
    expect(ranksOf(corrected, null)).toEqual({ main: 'replay', beside: ['correct'], more });
    const again = { ...corrected, events: [...corrected.events, event('IntentParked', 4, {})] };
    expect(ranksOf(again, null).main).toBe('correct');
  });

  it('is to ask the partner about what is in doubt, then what its answer proves', () => {
    expect(ranksOf(doubtful, null)).toMatchObject({ main: 'ask', beside: ['delivered', 'not-delivered'] });
    expect(ranksOf(doubtful, 'nothing').main).toBeNull();
    expect(ranksOf(doubtful, 'applied')).toMatchObject({ main: 'delivered', beside: [] });
    expect(ranksOf(doubtful, 'not-applied').main).toBe('not-delivered');
  });

  it('is none where only a person can tell', () => {
    expect(ranksOf(intent({ status: 'parked', reason: 'conflict' }), null).main).toBeNull();
  });
});

it('says what to do about a refusal', () => {
  const parts = { status: 409, title: 'Not so', detail: 'It is parked.', requestId: null, retryAfterSeconds: null };
  expect(withAdvice(new ApiProblem({ ...parts, code: 'in-doubt' })).detail).toContain(
    'It is parked. Look at the partner',
  );
  expect(withAdvice(new ApiProblem({ ...parts, code: 'other' })).detail).toBe('It is parked.');
});

it('gives commands for a terminal, safe to paste', () => {
  expect(quoted("it's")).toBe(`'it'\\''s'`);
  const texts = commandsOf(doubtful, 'https://x.example/api/v1/intents/a').map(({ text }) => text);
  expect(texts[0]).toBe(`curl -H "authorization: Bearer $TOKEN" 'https://x.example/api/v1/intents/a'`);
  expect(texts).toContain(`loyaltyd cancel intent 'coffee-club~m-1~3' --not-delivered --reason "$REASON"`);
  expect(texts.some((text) => text.includes('replay'))).toBe(false);
});
