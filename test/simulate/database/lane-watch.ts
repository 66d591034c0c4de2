import type { SqlParameter, SqlResult, SqlStatement } from '#platform';

import type { PgliteEngine } from './pglite-engine.js';

const nextDueStatement: SqlStatement = {
  name: 'sim_next_due',
  text: 'SELECT program_id, min(due_at) AS at FROM lane WHERE due_at IS NOT NULL GROUP BY program_id',
};

const laneChange = /\b(?:UPDATE|INTO|DELETE FROM|TRUNCATE)\s+lane\b/i;

/**
 * Spares claims that cannot find anything: most of a quiet world is idle polling, and an empty claim costs as much as a
 * full one. Sound because nothing but a statement changes a lane, and there is one session.
 */
export class LaneWatch {
  /** When the first lane of each program is due; null: it must be asked. */
  private nextDue: ReadonlyMap<string, number> | null = null;
  private readonly changing = new Map<string, boolean>();

  constructor(private readonly engine: PgliteEngine) {}

  /** Nothing to be found; null: it must be asked. */
  spare({ name }: SqlStatement, [program, now]: readonly SqlParameter[]): SqlResult<never> | null {
    if (!name.startsWith('claim_lanes_')) return null;
    this.nextDue ??= this.learn();
    const dueAt = this.nextDue.get(String(program)) ?? Infinity;
    return Date.parse(String(now)) < dueAt ? { rows: [], rowCount: 0 } : null;
  }

  ran(statement: SqlStatement): void {
    if (this.changesLanes(statement)) this.nextDue = null;
  }

  private changesLanes({ name, text }: SqlStatement): boolean {
    const known = this.changing.get(name);
    if (known !== undefined) return known;
    const changes = laneChange.test(text);
    this.changing.set(name, changes);
    return changes;
  }

  private learn(): Map<string, number> {
    const { rows } = this.engine.run<{ program_id: string; at: number }>(nextDueStatement);
    return new Map(rows.map((row) => [row.program_id, row.at]));
  }
}
