import type { IntentEventType } from '#intents/core';

import type { AskedEffect, Effect, EventRow, IntentRow, PartnerRequest } from '../history.js';
import { isNo } from './intent-state.js';

/** What the truth says about the effect of one attempt. */
export type Claim = 'has-effect' | 'has-none' | 'may-have';

/** One call that was begun. Its effects and requests are filled in by `attribute`. */
export interface Attempt {
  readonly intent: IntentRow;
  readonly number: number;
  readonly begin: EventRow;
  /** What it asks: the intent's request, or the last correction before it. */
  readonly asks: AskedEffect | null;
  /** The first outcome recorded for it; null: none. */
  readonly outcome: EventRow | null;
  readonly late: readonly EventRow[];
  readonly claim: Claim;
  /** When sight of it was lost; null: it never was. */
  readonly lostAt: number | null;
  readonly effects: Effect[];
  readonly requests: PartnerRequest[];
}

const outcomes: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown'];

/** The attempts of one intent, in the order of their begins. */
export function attemptsOf(intent: IntentRow, events: readonly EventRow[]): Attempt[] {
  const begins = events.filter(({ event }) => event.type === 'AttemptBegun');
  return begins.map((begin) => {
    const number = 'attempt' in begin.event ? begin.event.attempt : 0;
    // Two begins of one number, where there should be none, share what is told of that number.
    const own = events.filter(
      ({ event, version }) => 'attempt' in event && event.attempt === number && version > begin.version,
    );
    const outcome = own.find(({ event }) => outcomes.includes(event.type)) ?? null;
    const late = own.filter(({ event }) => event.type === 'LateOutcome');
    const lostAt = outcome?.event.type === 'AttemptUnknown' ? outcome.event.at : null;
    // A proof of absence is one for every attempt that was in doubt.
    const isAbsent = lostAt !== null && events.some((row) => isAbsence(row) && row.version > (outcome?.version ?? 0));
    return {
      intent,
      number,
      begin,
      asks: askedAt(intent, events, begin.version),
      outcome,
      late,
      claim: claimOf(outcome, late, isAbsent),
      lostAt,
      effects: [],
      requests: [],
    };
  });
}

function isAbsence({ event }: EventRow): boolean {
  return event.type === 'VerifiedAbsent';
}

function askedAt(intent: IntentRow, events: readonly EventRow[], version: number): AskedEffect | null {
  const correction = events.findLast((row) => row.event.type === 'IntentCorrected' && row.version < version);
  return correction?.asks === undefined ? intent.asks : correction.asks;
}

function claimOf(outcome: EventRow | null, late: readonly EventRow[], isAbsent: boolean): Claim {
  if (isAbsent) return 'has-none';
  const told = [outcome, ...late].flatMap((row) => (row === null ? [] : [claimOfEvent(row)]));
  const order: readonly Claim[] = ['has-effect', 'has-none'];
  return order.find((claim) => told.includes(claim)) ?? 'may-have';
}

function claimOfEvent({ event }: EventRow): Claim {
  const outcome = event.type === 'LateOutcome' ? event.outcome : (kinds[event.type] ?? 'unknown');
  if (outcome === 'applied') return 'has-effect';
  return isNo(outcome) ? 'has-none' : 'may-have';
}

const kinds: Partial<Record<IntentEventType, string>> = {
  AttemptApplied: 'applied',
  AttemptRejected: 'rejected',
  AttemptNotApplied: 'not-applied',
};
