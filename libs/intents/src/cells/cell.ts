import type { Database, SqlStatement } from '#platform';
import { digest, SafeError } from '#platform';

/** A share of the members: those with hash(program, memberId) mod `count` = `index` (design.md section 10). */
export interface CellIdentity {
  readonly index: number;
  readonly count: number;
}

const cellText = ({ index, count }: CellIdentity): string => `${index}/${count}`;

/** The database holds another share of the members: consuming into it would pass over members that are in it. */
export class ForeignCellError extends SafeError {
  override readonly name = 'ForeignCellError';

  constructor(
    readonly remembered: CellIdentity,
    asked: CellIdentity,
  ) {
    super(
      `LOYALTYD_CELL: this database belongs to cell ${cellText(remembered)}, not ${cellText(asked)}; ` +
        'each cell has a database of its own, and which members it takes never changes',
    );
  }
}

const claimStatement: SqlStatement = {
  name: 'claim_cell',
  text: 'UPDATE installation SET cell_index = $1, cell_count = $2 WHERE cell_index IS NULL',
};

const selectStatement: SqlStatement = {
  name: 'select_cell',
  text: 'SELECT cell_index AS index, cell_count AS count FROM installation WHERE cell_index IS NOT NULL',
};

/**
 * The first process that consumes into an installation decides which cell its database belongs to. Offsets count for
 * all members: under another cell the members that it does not take would be passed over, and nobody would be told.
 * @throws {ForeignCellError} when the database remembers another cell
 */
export async function claimCell(database: Database, cell: CellIdentity): Promise<void> {
  await database.execute(claimStatement, [cell.index, cell.count]);
  const remembered = await rememberedCell(database);
  if (remembered === null) throw new Error('the installation is not open');
  if (remembered.index !== cell.index || remembered.count !== cell.count) throw new ForeignCellError(remembered, cell);
}

/** The cell that the database belongs to; null until a process with the ingest role has started. */
export async function rememberedCell(database: Database): Promise<CellIdentity | null> {
  const { rows } = await database.execute<CellIdentity>(selectStatement);
  return rows[0] ?? null;
}

/** Which of `count` shares something falls into. */
export function shareOf(parts: readonly (string | number)[], count: number): number {
  return digest(JSON.stringify(parts)).readUInt32BE(0) % count;
}

/** Whether a member is of a cell: by hash(program, memberId) mod N (design.md section 10). */
export function isOfCell(
  { index, count }: CellIdentity,
  { program, memberId }: { readonly program: string; readonly memberId: string },
): boolean {
  return count === 1 || shareOf(['member', program, memberId], count) === index;
}
