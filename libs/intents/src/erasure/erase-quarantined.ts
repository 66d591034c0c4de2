import type { Random, SqlSession, SqlStatement } from '#platform';
import { seal } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { OperatorWord } from '../operator/record-action.js';
import { quarantineContext } from '../quarantine/sealed-record.js';
import { lockQuarantined, settleQuarantined } from '../quarantine/settle-quarantined.js';

/** The row stays, with topic, offset and reason: it says that a record was there. Its dead letter goes out empty. */
const clearStatement: SqlStatement = {
  name: 'erase_quarantined',
  text: `
UPDATE quarantine SET sealed_key = NULL, sealed_value = NULL, sealed_headers = $2, erased_at = $3::timestamptz
WHERE quarantine_id = $1::bigint`,
};

/** Who dealt with it and what came of it stays. A settlement is never updated: it is written anew. */
const forgetCorrectionStatement: SqlStatement = {
  name: 'forget_correction',
  text: `
WITH gone AS (
  DELETE FROM quarantine_settlement WHERE quarantine_id = $1::bigint AND sealed_correction IS NOT NULL RETURNING *
)
INSERT INTO quarantine_settlement (quarantine_id, at, actor, reason, result, ignored_reason, lane_id, seq)
SELECT quarantine_id, at, actor, reason, result, ignored_reason, lane_id, seq FROM gone`,
};

const noHeaders = '{}';

export interface QuarantineErasure {
  readonly ids: readonly number[];
  readonly word: OperatorWord;
}

type Sealing = { readonly key: Uint8Array; readonly random: Random };

async function eraseOne(
  session: SqlSession,
  { quarantineId, word }: { readonly quarantineId: number; readonly word: OperatorWord },
  { key, random }: Sealing,
): Promise<void> {
  const locked = await lockQuarantined(session, quarantineId);
  if (locked === null) return;
  const headers = seal({ key, plain: noHeaders, context: quarantineContext('headers') }, random);
  await session.query(clearStatement, [quarantineId, headers, timestamp(word.at)]);
  await session.query(forgetCorrectionStatement, [quarantineId]);
  if (locked.state !== 'open') return;
  const nothing = { ignoredReason: null, place: null, sealedCorrection: null, privileged: [] };
  await settleQuarantined(session, { quarantineId, locked, word, result: 'discarded', ...nothing });
}

/** Takes the bytes out of records that were set aside, and gives up those that nobody has dealt with. */
export async function eraseQuarantined(
  session: SqlSession,
  { ids, word }: QuarantineErasure,
  sealing: Sealing,
): Promise<void> {
  for (const quarantineId of ids) await eraseOne(session, { quarantineId, word }, sealing);
}
