import type { LedgerEntry, Standing } from './audit-input.js';
import { placeOf } from './audit-input.js';
import type { Match } from './match-effects.js';

interface Step {
  readonly entry: LedgerEntry;
  readonly position: number;
}

/** Enrolments may go ahead of what waits for them, but nothing may go ahead of what was before it otherwise. */
function overtaken(steps: readonly Step[]): readonly LedgerEntry[] {
  let last = Number.NEGATIVE_INFINITY;
  return steps.flatMap(({ entry, position }) => {
    if (position < last) return [entry];
    if (!isEnrolment(entry)) last = position;
    return [];
  });
}

function isEnrolment({ operation }: LedgerEntry): boolean {
  return operation === 'issue' || operation === 'issue-via-workflow';
}

/**
 * Effects that came out of order: for each member, against the order in which each topic had the records (the producer's
 * own knowledge), and against the order in which the lane took them in (`seq`), which also binds topics together.
 */
export function findDisorder(found: readonly Match[], standings: readonly Standing[]): readonly LedgerEntry[] {
  const seqs = new Map(standings.map((standing) => [placeOf(standing), standing.seq]));
  const applied = found.toSorted((a, b) => a.entry.seq - b.entry.seq);
  const byMember = Map.groupBy(applied, ({ entry }) => memberOf(entry)).values();
  const disordered = [...byMember].flatMap((matches) => {
    const byTopic = [...Map.groupBy(matches, ({ record }) => record.topic).values()];
    const lane = matches.map(({ record, entry }) => ({ entry, position: seqs.get(placeOf(record)) ?? 0 }));
    const topics = byTopic.map((some) => some.map(({ record, entry }) => ({ entry, position: record.offset })));
    return [lane, ...topics].flatMap(overtaken);
  });
  return [...new Set(disordered)];
}

function memberOf({ brandId, programId, uniqueId }: LedgerEntry): string {
  return JSON.stringify([brandId, programId, uniqueId]);
}
