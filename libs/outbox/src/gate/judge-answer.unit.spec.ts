import type { AttemptOutcome } from '#intents/core';
import type { CallStage } from '#gateway';

import { sentTooLate } from '../engine/messages.js';
import { lookup, report } from '../testing/engine-harness.js';
import { judgeAttempt, judgeLookup } from './judge-answer.js';

const notApplied = { kind: 'not-applied', answered: true, systemic: false, retryAfterMs: null } as const;
const unknown = { kind: 'unknown', retryAfterMs: null } as const;

describe('what an attempt tells about the partner', () => {
  it.each<{
    readonly stage: CallStage;
    readonly outcome: AttemptOutcome;
    readonly health: string;
    readonly signal: string;
  }>([
    { stage: 'answer', outcome: { kind: 'applied' }, health: 'reached', signal: 'ok' },
    { stage: 'answer', outcome: { kind: 'rejected', code: 'refused', message: '' }, health: 'reached', signal: 'ok' },
    {
      stage: 'answer',
      outcome: { ...notApplied, code: 'too-many-requests', answered: false },
      health: 'reached',
      signal: 'overload',
    },
    { stage: 'answer', outcome: { ...notApplied, code: 'http-403', systemic: true }, health: 'refused', signal: 'ok' },
    {
      stage: 'token',
      outcome: { ...notApplied, code: 'no-token', answered: false },
      health: 'cut-off',
      signal: 'silent',
    },
    {
      stage: 'token',
      outcome: { ...notApplied, code: 'unauthorized', systemic: true },
      health: 'cut-off',
      signal: 'silent',
    },
    {
      stage: 'connection',
      outcome: { ...notApplied, code: 'connection-refused', answered: false },
      health: 'missed',
      signal: 'silent',
    },
    { stage: 'exchange', outcome: { ...unknown, code: 'timeout' }, health: 'missed', signal: 'overload' },
    { stage: 'exchange', outcome: { ...unknown, code: 'reset' }, health: 'missed', signal: 'silent' },
    { stage: 'answer', outcome: { ...unknown, code: 'http-503' }, health: 'missed', signal: 'overload' },
    { stage: 'answer', outcome: { ...unknown, code: 'http-500' }, health: 'missed', signal: 'silent' },
    { stage: 'answer', outcome: { ...notApplied, code: 'http-503' }, health: 'missed', signal: 'overload' },
    { stage: 'answer', outcome: { ...notApplied, code: 'http-500' }, health: 'missed', signal: 'silent' },
  ])('$stage, $outcome.kind $outcome.code: $health, $signal', ({ stage, outcome, health, signal }) => {
    const answer = judgeAttempt({ operation: 'transaction' }, report(outcome, { stage }));
    expect(answer).toMatchObject({ kind: 'write', health, sample: { operation: 'transaction', signal } });
  });

  it('is nothing when we ourselves held the request back', () => {
    expect(judgeAttempt({ operation: 'transaction' }, sentTooLate)).toMatchObject({
      health: 'none',
      sample: { signal: 'silent' },
    });
  });

  it('is a rest where it asks for one, and a short one after a bare 429', () => {
    const restOf = (outcome: AttemptOutcome): number | null =>
      judgeAttempt({ operation: 'issue' }, report(outcome)).retryAfterMs;
    expect(restOf({ ...unknown, code: 'http-503', retryAfterMs: 7_000 })).toBe(7_000);
    expect(restOf({ ...notApplied, code: 'too-many-requests' })).toBe(1_000);
    expect(restOf({ ...notApplied, code: 'too-many-requests', retryAfterMs: 300 })).toBe(1_000);
    expect(restOf({ ...notApplied, code: 'too-many-requests', retryAfterMs: 7_000 })).toBe(7_000);
    expect(restOf({ ...unknown, code: 'http-503' })).toBeNull();
    expect(restOf({ kind: 'applied' })).toBeNull();
  });
});

describe('what a lookup tells about the partner', () => {
  it.each(['found', 'absent'] as const)('%s: it is there', (kind) => {
    expect(judgeLookup(lookup(kind))).toMatchObject({ kind: 'read', health: 'reached', sample: { signal: 'ok' } });
  });

  it.each<{ readonly code: string; readonly stage: CallStage; readonly health: string; readonly signal: string }>([
    { code: 'foreign-pass', stage: 'answer', health: 'reached', signal: 'ok' },
    { code: 'refused', stage: 'answer', health: 'reached', signal: 'ok' },
    { code: 'too-many-requests', stage: 'answer', health: 'reached', signal: 'overload' },
    { code: 'http-403', stage: 'answer', health: 'refused', signal: 'silent' },
    { code: 'http-503', stage: 'answer', health: 'missed', signal: 'overload' },
    { code: 'no-token', stage: 'token', health: 'cut-off', signal: 'silent' },
    { code: 'timeout', stage: 'exchange', health: 'missed', signal: 'overload' },
    { code: 'connection-refused', stage: 'connection', health: 'missed', signal: 'silent' },
    { code: 'invalid-request', stage: 'request', health: 'none', signal: 'silent' },
  ])('failed with $code at $stage: $health, $signal', ({ code, stage, health, signal }) => {
    const { evidence } = lookup('absent');
    const answer = judgeLookup({ kind: 'failed', stage, code, retryAfterMs: null, evidence });
    expect(answer).toMatchObject({ kind: 'read', health, sample: { operation: 'lookup', signal } });
  });
});
