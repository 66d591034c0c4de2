import type { SqlSession, SqlStatement } from '#platform';

import type { CountedEnds } from '../rebuild/load-checkpoints.js';
import type { FactRow } from '../rebuild/load-facts.js';

interface Tallied {
  readonly program: string;
  readonly operation: string;
  recorded: number;
  delivered: number;
  cancelled: number;
}

const clearStatements: readonly SqlStatement[] = ['intent_tally', 'settled_tally'].map((table) => ({
  name: `clear_${table}`,
  text: `DELETE FROM ${table}`,
}));

/** Which partition brought them is not asked again: nobody reads these counts but as sums. */
const recordedStatement: SqlStatement = {
  name: 'rebuild_intent_tally',
  text: `
INSERT INTO intent_tally (topic, partition, program_id, operation, recorded)
SELECT '', -1, program_id, operation, recorded
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS w (program_id, operation, recorded)`,
};

const settledStatement: SqlStatement = {
  name: 'rebuild_settled_tally',
  text: `
INSERT INTO settled_tally (program_id, operation, status, intents)
SELECT program_id, operation, status, intents
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS w (program_id, operation, delivered, cancelled)
CROSS JOIN LATERAL (VALUES ('delivered', delivered), ('cancelled', cancelled)) AS s (status, intents)
WHERE intents > 0`,
};

/** Nobody has a position without a lane's lock, and nobody else has those now. */
const placeStatement: SqlStatement = {
  name: 'rebuild_tally_checkpoint',
  text: `
UPDATE tally_checkpoint SET pos = (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq)`,
};

/** What an event changes in the counts of how intents ended. */
function changeOf({ type, data }: FactRow): Partial<Pick<Tallied, 'delivered' | 'cancelled'>> {
  if (type === 'IntentCancelled') return { cancelled: 1 };
  if (type === 'IntentReissued') return { delivered: -1 };
  const isByWord = type === 'IntentResolved' && data?.['as'] === 'delivered';
  return isByWord || type === 'AttemptApplied' || type === 'VerifiedApplied' ? { delivered: 1 } : {};
}

/** Counts intents and how they ended from all facts, while every lane is locked. */
export class RebuiltTallies {
  private readonly tallies = new Map<string, Tallied>();

  /** @param facts a lane's */
  add(program: string, facts: readonly FactRow[]): void {
    const operations = new Map(facts.flatMap(({ seq, operation }) => (operation === null ? [] : [[seq, operation]])));
    for (const fact of facts) {
      const operation = operations.get(fact.seq);
      if (operation === undefined) continue;
      const tally = this.tallyOf(program, operation);
      const { delivered = 0, cancelled = 0 } = changeOf(fact);
      if (fact.operation !== null) tally.recorded += 1;
      tally.delivered += delivered;
      tally.cancelled += cancelled;
    }
  }

  /** @param counted what has left the truth of a lane of the program */
  addCounted(program: string, counted: CountedEnds): void {
    for (const [operation, { delivered, cancelled }] of Object.entries(counted)) {
      const tally = this.tallyOf(program, operation);
      tally.recorded += delivered + cancelled;
      tally.delivered += delivered;
      tally.cancelled += cancelled;
    }
  }

  async save(session: SqlSession): Promise<void> {
    const tallies = [...this.tallies.values()];
    const names = [tallies.map(({ program }) => program), tallies.map(({ operation }) => operation)];
    for (const statement of clearStatements) await session.query(statement);
    await session.query(recordedStatement, [...names, tallies.map(({ recorded }) => recorded)]);
    const ends = [tallies.map(({ delivered }) => delivered), tallies.map(({ cancelled }) => cancelled)];
    await session.query(settledStatement, [...names, ...ends]);
    await session.query(placeStatement);
  }

  private tallyOf(program: string, operation: string): Tallied {
    const key = JSON.stringify([program, operation]);
    const known = this.tallies.get(key) ?? { program, operation, recorded: 0, delivered: 0, cancelled: 0 };
    this.tallies.set(key, known);
    return known;
  }
}
