import type { LeftForPerson, OwnWord } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { recordAction } from '../operator/operator-action.js';
import type { PlacedIntent } from './place-intents.js';
import type { PreparedRecord, RecordingContext } from './recording.js';

/**
 * What events may have done by their own word alone: so much in an hour, each with a row in the audit. Counted is what the audit
 * says, so that a record that is read again, or a transaction that is repeated, finds what was committed and nothing else.
 */

const hourMs = 3_600_000;

/** Whoever counts for one of these programs waits until the count before is committed. */
const lockStatement: SqlStatement = {
  name: 'lock_own_words',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('own words of ' || p.program, 0)) FROM unnest($1::text[]) AS p (program)`,
};

const countStatement: SqlStatement = {
  name: 'count_own_words',
  isRead: true,
  text: `
SELECT detail->>'program' AS program, sum((detail->>'members')::int)::int AS members FROM operator_action
WHERE action LIKE 'event.%' AND at > $1::timestamptz AND detail->>'program' = ANY ($2::text[])
GROUP BY 1`,
};

/** A record that has something done by its own word. */
interface Spoken {
  readonly record: PreparedRecord;
  readonly word: OwnWord;
  readonly source: string;
}

const wordOf = ({ verdict }: PreparedRecord): OwnWord | undefined =>
  verdict.kind === 'routed' ? verdict.ownWord : undefined;

/** Why a word does not count any more this hour. */
export function beyondLimit({ does, perHour }: OwnWord): LeftForPerson {
  const path = does === 'erase' ? 'data.erase' : 'type';
  return {
    reason: 'not-permitted',
    detail: `${path}: events have erased, merged or separated as many members within an hour as they may (eventsMay.perHour: ${perHour}): an admin decides`,
  };
}

/** The words of one transaction's records. */
export class OwnWords {
  private spoken: Spoken[] = [];

  private constructor(private readonly counts: Map<string, number>) {}

  /** Before any lane is locked: of two that count for one program the second waits, and holds nothing that the first needs. */
  static async count(
    session: SqlSession,
    records: readonly PreparedRecord[],
    { now }: Pick<RecordingContext, 'now'>,
  ): Promise<OwnWords> {
    const programs = [...new Set(records.flatMap((record) => wordOf(record)?.program ?? []))].sort();
    if (programs.length === 0) return new OwnWords(new Map());
    await session.query(lockStatement, [programs]);
    const since = timestamp(now - hourMs);
    const { rows } = await session.query<{ program: string; members: number }>(countStatement, [since, programs]);
    return new OwnWords(new Map(rows.map(({ program, members }) => [program, members])));
  }

  /** Counts a record's word. @returns false: it is one too many, and a person decides */
  take(record: PreparedRecord): boolean {
    const { verdict } = record;
    const word = wordOf(record);
    if (verdict.kind !== 'routed' || word === undefined) return true;
    const members = (this.counts.get(word.program) ?? 0) + word.members;
    if (members > word.perHour) return false;
    this.counts.set(word.program, members);
    this.spoken.push({ record, word, source: verdict.eventSource });
    return true;
  }

  /** Leaves an audit entry for each word that was taken since the last time, as for what a person does. */
  async record(
    session: SqlSession,
    { sourceOf, now }: Pick<RecordingContext, 'sourceOf' | 'now'>,
    placed: readonly PlacedIntent[],
  ): Promise<void> {
    const { spoken } = this;
    this.spoken = [];
    for (const { record, word, source } of spoken) {
      const { original } = record;
      const { topic, partition } = sourceOf(original);
      const intent = placed.find((each) => each.record.original === original);
      await recordAction(session, {
        audit: { at: now, actor: source, address: null, reason: 'an event says so' },
        action: `event.${word.does}`,
        place: intent === undefined ? null : { laneId: intent.laneId, seq: intent.seq },
        detail: { program: word.program, members: word.members, topic, partition, offset: original.offset },
      });
    }
  }
}
