import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { dropInSteps } from './drop-in-steps.js';

const itemsMax = 5_000;
const replaysMax = 500;

/** Counted: nothing of it moves any more. */
const isOver = `r.state IN ('done', 'cancelled') AND r.finished_at < $1::timestamptz AND r.counts IS NOT NULL`;

const itemsStatement: SqlStatement = {
  name: 'drop_replay_items',
  text: `
DELETE FROM replay_item WHERE (replay_id, ordinal) IN (
  SELECT i.replay_id, i.ordinal FROM replay r JOIN replay_item i USING (replay_id) WHERE ${isOver} LIMIT ${itemsMax})`,
};

const replaysStatement: SqlStatement = {
  name: 'drop_replays',
  text: `
DELETE FROM replay WHERE replay_id IN (
  SELECT r.replay_id FROM replay r
  WHERE ${isOver} AND NOT EXISTS (SELECT FROM replay_item i WHERE i.replay_id = r.replay_id)
  LIMIT ${replaysMax})`,
};

/** Drops replays that were over before, and their items. @returns how many replays */
export async function dropReplays(database: Database, over: number, stillOurs: () => Promise<void>): Promise<number> {
  const parameters = [timestamp(over)];
  await dropInSteps(database, { statement: itemsStatement, parameters, max: itemsMax }, stillOurs);
  return dropInSteps(database, { statement: replaysStatement, parameters, max: replaysMax }, stillOurs);
}
