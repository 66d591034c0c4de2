import type { IntentEvent } from '#intents/core';
import { timestamptzArray } from '#platform';

import { attemptOf, clearData, timestamp, timestamps, toEvent } from './stored-event.js';

const at = Date.parse('2026-11-21T09:00:00.123Z');
const by = { by: 'ops', reason: 'typo' };

const events: readonly IntentEvent[] = [
  { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 1 },
  { type: 'IntentReleased', at },
  { type: 'AttemptBegun', at, attempt: 1 },
  { type: 'AttemptApplied', at, attempt: 2 },
  { type: 'AttemptRejected', at, attempt: 1, code: 'duplicate' },
  { type: 'AttemptNotApplied', at, attempt: 1, code: 'http-429', answered: true, retryAt: at + 1 },
  { type: 'AttemptBegun', at, attempt: 2, before: { points: 12 } },
  { type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: at + 1 },
  { type: 'ProbeRead', at, attempt: 1, points: 2, checkAt: at + 1 },
  { type: 'ResendDecided', at, attempt: 1, basis: 'policy' },
  { type: 'VerifiedApplied', at, attempt: 1, evidence: 'found' },
  { type: 'VerifiedAbsent', at, attempt: 1, evidence: 'twice' },
  { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' },
  { type: 'IntentParked', at, reason: 'rejected', lane: 'block' },
  { type: 'IntentReplayed', at, ...by, overtaken: 3 },
  { type: 'IntentReissued', at, ...by, overtaken: 3, job: 'r1' },
  { type: 'PassAdopted', at, job: 'j1' },
  { type: 'IntentCorrected', at, ...by },
  { type: 'IntentResolved', at, ...by, as: 'delivered' },
  { type: 'IntentCancelled', at, ...by },
  { type: 'PassFound', at },
  { type: 'PassAbsent', at },
];

function throughTheDatabase(event: IntentEvent): IntentEvent {
  const text = clearData(event);
  const data = text === null ? null : (JSON.parse(text) as Record<string, unknown>);
  return toEvent({ lane_id: 1, seq: 1, version: 1, attempt: attemptOf(event), type: event.type, at: event.at, data });
}

describe('a stored event', () => {
  it.each(events)('comes back as it was: $type', (event) => {
    expect(throughTheDatabase(event)).toStrictEqual(event);
  });

  it('keeps type, time and attempt out of its data', () => {
    expect(clearData({ type: 'AttemptBegun', at, attempt: 1 })).toBeNull();
    expect(clearData({ type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: null })).toBe(
      '{"code":"reset","checkAt":null}',
    );
  });

  it('holds no text that jsonb would refuse', () => {
    const reason = 'nul \u0000, half a pair \uD83D, a pair \u{1F600}, a bell \u0007, written \\u0000';
    const stored = throughTheDatabase({ type: 'IntentCancelled', at, by: 'ops', reason });
    expect(stored).toMatchObject({
      reason: 'nul \uFFFD, half a pair \uFFFD, a pair \u{1F600}, a bell \u0007, written \\u0000',
    });
  });
});

describe('timestamp', () => {
  it('is ISO 8601 in UTC with milliseconds', () => {
    expect(timestamp(at)).toBe('2026-11-21T09:00:00.123Z');
  });

  it.each([
    [Number.MAX_SAFE_INTEGER, '9999-12-31T23:59:59.999Z'],
    [Infinity, '9999-12-31T23:59:59.999Z'],
    [-Number.MAX_SAFE_INTEGER, '0001-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
  ])('of %d is %s', (atMs, text) => {
    expect(timestamp(atMs)).toBe(text);
  });

  it('refuses what is no number', () => {
    expect(() => timestamp(NaN)).toThrow(RangeError);
  });

  it('of many is cut to the same years', () => {
    const cut = [Date.parse(timestamp(Infinity)), Date.parse(timestamp(-Infinity)), null, at];
    expect(timestamps([Infinity, -Infinity, null, at])).toEqual(timestamptzArray(cut));
    expect(() => timestamps([NaN])).toThrow(RangeError);
  });
});
