import type { Database, SqlStatement } from '#platform';

/** Rows of the sum: a currency is whatever an event says, where its program names none. */
export const valueAtRiskMax = 200;

const statement: SqlStatement = {
  name: 'sum_value_at_risk',
  text: `
SELECT program_id AS program, currency, sum(amount_minor)::bigint AS minor, count(*) AS intents
FROM intent_standing WHERE status IN ('unknown', 'parked') AND currency IS NOT NULL
GROUP BY 1, 2 ORDER BY intents DESC, 1, 2 LIMIT ${valueAtRiskMax}`,
};

/** Money in intents that are parked, or of which nobody knows whether they took effect. */
export interface ValueAtRisk {
  readonly program: string;
  readonly currency: string;
  /** In the currency's smallest unit; refunds count as what they are worth. */
  readonly minor: number;
  readonly intents: number;
}

/** By program and currency, those with the most intents first. */
export async function sumValueAtRisk(database: Database): Promise<ValueAtRisk[]> {
  return (await database.execute<ValueAtRisk>(statement)).rows;
}
