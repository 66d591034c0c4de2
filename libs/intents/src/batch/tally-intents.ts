import type { RoutedIntent } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { RecordingContext } from './batch-to-record.js';

/**
 * A partition's rows are written under the lock of its offset, so that nobody waits for anybody but for what an operator
 * takes in after all.
 */
const statement: SqlStatement = {
  name: 'tally_intents',
  text: `
INSERT INTO intent_tally AS t (topic, partition, program_id, operation, recorded)
SELECT $1, $2::int, program_id, operation, recorded
FROM unnest($3::text[], $4::text[], $5::bigint[]) AS w (program_id, operation, recorded)
ORDER BY program_id, operation
ON CONFLICT (topic, partition, program_id, operation) DO UPDATE SET recorded = t.recorded + EXCLUDED.recorded`,
};

/** Counts what is being recorded, with what the partition has brought before: nobody can count ten million rows. */
export async function tallyIntents(
  session: SqlSession,
  { topic, partition }: RecordingContext['source'],
  intents: readonly RoutedIntent[],
): Promise<void> {
  const groups = [...Map.groupBy(intents, ({ program, operation }) => JSON.stringify([program, operation])).values()];
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  await session.query(statement, [
    topic,
    partition,
    firsts.map(({ program }) => program),
    firsts.map(({ operation }) => operation),
    groups.map(({ length }) => length),
  ]);
}
