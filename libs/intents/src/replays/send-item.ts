import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { ActionResult, Alongside } from '../operator/act-on-intent.js';
import { actAlongside, replaysWithoutForceMax } from '../operator/act-on-intent.js';
import type { OperatorWord } from '../operator/operator-action.js';
import { isHeldUp } from './is-held-up.js';
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

/** Undoes the putting back of an intent that its lane would not come to: something else blocks it. */
class HeldUpError extends Error {
  override readonly name = 'HeldUpError';
}

interface Mark {
  readonly state: 'sent' | 'refused';
  readonly detail: string | null;
}

function markOf(result: ActionResult): Mark {
  return result.kind === 'done' ? { state: 'sent', detail: null } : { state: 'refused', detail: result.reason };
}

interface ItemPlace {
  readonly replayId: string;
  readonly ordinal: number;
  readonly laneId: number;
  readonly now: number;
}

async function mark(session: SqlSession, at: ItemPlace, { state, detail }: Mark): Promise<void> {
  const parameters = [at.replayId, at.ordinal, state, detail, timestamp(at.now)];
  const { rowCount } = await session.query(markStatement, parameters);
  if (rowCount === 0) throw new ItemTakenError('an item is not waiting any more');
}

async function refuse(database: Database, place: ItemPlace, detail: string): Promise<Mark['state']> {
  const refused: Mark = { state: 'refused', detail };
  await database.transaction('refuse_replay_item', (session) => mark(session, place, refused));
  return refused.state;
}

/** Every intent that is put back says who had it sent, and why. */
function wordOf({ startedBy, startReason, createdBy, reason }: Replay, at: number): OperatorWord {
  return { at, actor: startedBy ?? createdBy, address: null, reason: startReason ?? reason };
}

function markAlongside(place: ItemPlace): Alongside {
  return async (session, result) => {
    if (result.kind === 'done' && (await isHeldUp(session, place))) throw new HeldUpError('its lane is blocked');
    await mark(session, place, markOf(result));
  };
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
  const { ordinal, laneId, seq } = item;
  const place = { replayId: replay.replayId, ordinal, laneId, now };
  if (item.replays >= replaysWithoutForceMax && !replay.isForced) return refuse(database, place, 'replayed-too-often');
  const action = {
    place: { laneId, seq },
    action: { kind: 'replay', isForced: replay.isForced },
    word: wordOf(replay, now),
    role: replay.needsRole,
  } as const;
  try {
    const result = await actAlongside(database, action, { keys, alongside: markAlongside(place) });
    return markOf(result).state;
  } catch (error) {
    if (error instanceof HeldUpError) return refuse(database, place, 'lane-blocked');
    throw error;
  }
}
