import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Who says so, from where, and why. */
export interface OperatorWord {
  /** Epoch ms by the database's clock. */
  readonly at: number;
  readonly actor: string;
  /** The address that the request came from; null for the command line on the machine itself. */
  readonly address: string | null;
  readonly reason: string;
}

export interface RecordedAction {
  readonly word: OperatorWord;
  /** What was done, such as `intent.replay`. */
  readonly action: string;
  /** The intent it was done to, `seq` 0 for all of a member's; null for what is about no member. */
  readonly place: IdentityPlace | null;
  /** Nothing personal. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

const statement: SqlStatement = {
  name: 'record_operator_action',
  text: `
INSERT INTO operator_action (at, actor, address, action, reason, lane_id, seq, detail)
VALUES ($1::timestamptz, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
};

/** Leaves a trace of what a person did, in the transaction that does it. */
export async function recordAction(session: SqlSession, recorded: RecordedAction): Promise<void> {
  const { word, action, place, detail } = recorded;
  await session.query(statement, [
    timestamp(word.at),
    word.actor,
    word.address,
    action,
    word.reason,
    place?.laneId ?? null,
    place?.seq ?? null,
    detail === undefined ? null : JSON.stringify(detail),
  ]);
}
