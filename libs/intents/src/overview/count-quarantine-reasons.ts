import type { QuarantineReason } from '#domain';
import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'count_quarantine_reasons',
  text: "SELECT reason, count(*) AS records FROM quarantine WHERE state = 'open' GROUP BY 1 ORDER BY 1",
};

/** Records that were set aside for the same reason, and that nobody has dealt with. */
export interface QuarantineReasonCount {
  readonly reason: QuarantineReason;
  readonly records: number;
}

export async function countQuarantineReasons(database: Database): Promise<QuarantineReasonCount[]> {
  return (await database.execute<QuarantineReasonCount>(statement)).rows;
}
