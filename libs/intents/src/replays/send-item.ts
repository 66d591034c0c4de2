import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { ActionResult } from '../operator/act-on-intent.js';
import { actAlongside } from '../operator/act-on-intent.js';
import { replaysWithoutForceMax } from '../operator/count-put-back.js';
import type { NextItem } from './next-items.js';
import type { Replay } from './replay.js';

const markStatement: SqlStatement = {
  name: 'mark_replay_item',
  text: `
UPDATE replay_item SET state = $3, detail = $4, sent_at = $5::timestamptz
WHERE replay_id = $1 AND ordinal = $2 AND state = 'waiting'
  AND EXISTS (SELECT FROM replay WHERE replay_id = $1 AND state = 'running' FOR SHARE)`,
};

/** Undoes the sending of an item that somebody else has sent, or whose replay was stopped meanwhile. */
export class ItemTakenError extends Error {
  override readonly name = 'ItemTakenError';
}

interface Mark {
  readonly state: 'sent' | 'refused';
  readonly detail: string | null;
}

function markOf(result: ActionResult): Mark {
  return result.kind === 'done' ? { state: 'sent', detail: null } : { state: 'refused', detail: result.reason };
}

async function mark(
  session: SqlSession,
  at: { readonly replayId: string; readonly ordinal: number; readonly now: number },
  { state, detail }: Mark,
): Promise<void> {
  const parameters = [at.replayId, at.ordinal, state, detail, timestamp(at.now)];
  const { rowCount } = await session.query(markStatement, parameters);
  if (rowCount === 0) throw new ItemTakenError('an item is not waiting any more');
}

/**
 * Puts one item's intent back and marks the item, in one transaction: however the process ends, an item is sent once.
 * @returns what became of the item
 * @throws {ItemTakenError} where nothing was done, for the item or its replay is not what it was
 */
export async function sendItem(
  database: Database,
  request: { readonly replay: Replay; readonly item: NextItem; readonly now: number },
  keys: MemberKeys,
): Promise<Mark['state']> {
  const { replay, item, now } = request;
  const { replayId, createdBy: actor, reason, isForced } = replay;
  const place = { replayId, ordinal: item.ordinal, now };
  if (item.replays >= replaysWithoutForceMax && !isForced) {
    const refused: Mark = { state: 'refused', detail: 'replayed-too-often' };
    await database.transaction('refuse_replay_item', (session) => mark(session, place, refused));
    return refused.state;
  }
  const { laneId, seq } = item;
  const word = { at: now, actor, address: null, reason };
  const result = await actAlongside(
    database,
    { place: { laneId, seq }, action: { kind: 'replay', isForced }, word },
    { keys, alongside: (session, outcome) => mark(session, place, markOf(outcome)) },
  );
  return markOf(result).state;
}
