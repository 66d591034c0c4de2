import { Injectable } from '@nestjs/common';

import type { IdentityPlace, PartnerCommand } from '#intents/core';
import type { EventPlace } from '#intents';
import { evidencePlace, isUnprovenAnswer, loadCommands, MemberKeys, timestamp } from '#intents';
import type { SqlStatement } from '#platform';
import { Database, SealBrokenError } from '#platform';

/** Parked intents that are looked at in one turn: each may hold some answers of 16 KiB. */
const rereadIntentsMax = 200;
/** Answers of one intent, the newest first: it has as many attempts as `retries` allows. */
const answersPerIntentMax = 20;

/** Those recorded up to then, in the order of the list of what is parked. */
const parkedStatement: SqlStatement = {
  name: 'list_parked_in_doubt',
  text: `
SELECT s.lane_id AS "laneId", s.seq, s.recorded_at AS "recordedAt", m.member_id AS "memberId", k.wrapped_key AS "wrappedKey"
FROM intent_standing s JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
WHERE s.status = 'parked' AND s.program_id = $1 AND s.reason = 'unknown-outcome' AND s.recorded_at <= $2::timestamptz
  AND (s.recorded_at, s.lane_id, s.seq) > ($3::timestamptz, $4::bigint, $5::int)
ORDER BY s.recorded_at, s.lane_id, s.seq LIMIT ${rereadIntentsMax}`,
};

const answersStatement: SqlStatement = {
  name: 'list_doubtful_answers',
  text: `
SELECT w.lane_id AS "laneId", w.seq, a.version, a.attempt, a.type, a.epoch, a.sealed
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
CROSS JOIN LATERAL (
  SELECT version, attempt, type, epoch, sealed FROM intent_event e
  WHERE e.lane_id = w.lane_id AND e.seq = w.seq AND e.sealed IS NOT NULL AND ${isUnprovenAnswer}
  ORDER BY version DESC LIMIT ${answersPerIntentMax}) a
ORDER BY w.lane_id, w.seq, a.version`,
};

/** Where a list of them continues. `recordedAt`: epoch ms. */
export interface DoubtfulPlace extends IdentityPlace {
  readonly recordedAt: number;
}

interface ParkedRow extends DoubtfulPlace {
  readonly memberId: string;
  readonly wrappedKey: Buffer | null;
}

interface AnswerRow extends EventPlace {
  readonly sealed: Buffer;
}

/** An answer that was kept. Personal. */
export interface KeptAnswer {
  /** Of the event that holds it. */
  readonly version: number;
  readonly attempt: number;
  /** As it was kept: `{phase, request, response}`. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** An intent that is parked for a doubt, with the answers that may settle it. */
export interface DoubtfulIntent extends DoubtfulPlace {
  readonly memberId: string;
  /** Null: erased, or it was never given one. */
  readonly command: PartnerCommand | null;
  readonly answers: readonly KeptAnswer[];
}

function keyOf({ laneId, seq }: IdentityPlace): string {
  return `${laneId}/${seq}`;
}

/** Damaged bytes cost their answer. */
function open({ sealed, ...event }: AnswerRow, key: Uint8Array, keys: MemberKeys): KeptAnswer[] {
  try {
    const { version, attempt } = event;
    const evidence = JSON.parse(keys.openFor(evidencePlace({ ...event, key }), sealed)) as KeptAnswer['evidence'];
    return [{ version, attempt, evidence }];
  } catch (error) {
    if (error instanceof SealBrokenError) return [];
    throw error;
  }
}

/** Intents that are parked for a doubt. */
@Injectable()
export class DoubtfulIntentRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** The next intents of a program that are parked as `unknown-outcome`, with what the partner answered to them. */
  async list(query: {
    readonly program: string;
    readonly until: number;
    readonly after: DoubtfulPlace | null;
  }): Promise<DoubtfulIntent[]> {
    const { database, keys } = this;
    const { program, until, after } = query;
    const from = after === null ? ['-infinity', 0, 0] : [timestamp(after.recordedAt), after.laneId, after.seq];
    const { rows } = await database.execute<ParkedRow>(parkedStatement, [program, timestamp(until), ...from]);
    if (rows.length === 0) return [];
    const commands = await loadCommands(database, rows, keys);
    const commandOf = new Map(commands.map(({ current, ...place }) => [keyOf(place), current]));
    const places = [rows.map(({ laneId }) => laneId), rows.map(({ seq }) => seq)];
    const kept = Map.groupBy((await database.execute<AnswerRow>(answersStatement, places)).rows, keyOf);
    return rows.map(({ wrappedKey, ...place }) => {
      const current = commandOf.get(keyOf(place));
      const command = current?.kind === 'command' ? current.command : null;
      const key = wrappedKey === null || command === null ? null : keys.learn(place.laneId, wrappedKey);
      const answers = key === null ? [] : (kept.get(keyOf(place)) ?? []).flatMap((row) => open(row, key, keys));
      return { ...place, command, answers };
    });
  }
}
