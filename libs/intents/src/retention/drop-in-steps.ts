import type { Database, SqlParameter, SqlStatement } from '#platform';

/** A statement that drops some of what is to leave; one that comes back with fewer than `max` has left nothing. */
export interface DropStep {
  readonly statement: SqlStatement;
  readonly parameters: readonly SqlParameter[];
  readonly max: number;
}

/** Drops a little at a time. @returns how many */
export async function dropInSteps(
  database: Database,
  { statement, parameters, max }: DropStep,
  stillOurs: () => Promise<void>,
): Promise<number> {
  for (let dropped = 0; ;) {
    await stillOurs();
    const { rowCount } = await database.execute(statement, parameters);
    dropped += rowCount;
    if (rowCount < max) return dropped;
  }
}
