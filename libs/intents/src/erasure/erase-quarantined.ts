import type { Random, SqlSession, SqlStatement } from '#platform';
import { seal } from '#platform';

import { quarantineContext } from '../batch/insert-quarantine.js';
import { timestamp } from '../events/stored-event.js';

/**
 * The row stays, with topic, offset and reason: it says that a record was there. Its dead letter goes out empty. What
 * somebody took it for instead is about the same person.
 */
const statement: SqlStatement = {
  name: 'erase_quarantined',
  text: `
WITH corrections AS (
  UPDATE quarantine_settlement SET sealed_correction = NULL
  WHERE quarantine_id = ANY ($1::bigint[]) AND sealed_correction IS NOT NULL)
UPDATE quarantine SET sealed_key = NULL, sealed_value = NULL, sealed_headers = $2, erased_at = $3::timestamptz
WHERE quarantine_id = ANY ($1::bigint[]) AND erased_at IS NULL`,
};

const noHeaders = '{}';

/** Takes the bytes out of records that were set aside. */
export async function eraseQuarantined(
  session: SqlSession,
  request: { readonly ids: readonly number[]; readonly now: number },
  sealing: { readonly key: Uint8Array; readonly random: Random },
): Promise<void> {
  const { ids, now } = request;
  if (ids.length === 0) return;
  const headers = seal({ key: sealing.key, plain: noHeaders, context: quarantineContext('headers') }, sealing.random);
  await session.query(statement, [ids, headers, timestamp(now)]);
}
