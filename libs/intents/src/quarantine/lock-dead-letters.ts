import type { SqlSession, SqlStatement } from '#platform';

/** Dead letters of one transaction, at most. */
export const deadLetterBatchMax = 100;

const statement: SqlStatement = {
  name: 'lock_dead_letters',
  text: `
SELECT o.quarantine_id, q.value_bytes + octet_length(q.sealed_headers) + COALESCE(octet_length(q.sealed_key), 0) AS bytes
FROM dead_letter_outbox o JOIN quarantine q ON q.quarantine_id = o.quarantine_id
ORDER BY o.quarantine_id LIMIT ${deadLetterBatchMax}
FOR UPDATE OF o SKIP LOCKED`,
};

/**
 * Takes the oldest dead letters that nobody else is publishing, as many as fit into `bytesMax`, but at least one.
 * They are ours until the transaction ends.
 */
export async function lockDeadLetters(session: SqlSession, bytesMax: number): Promise<number[]> {
  const { rows } = await session.query<{ quarantine_id: number; bytes: number }>(statement);
  let bytes = 0;
  const fitting = rows.filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= bytesMax;
  });
  return fitting.map((row) => row.quarantine_id);
}
