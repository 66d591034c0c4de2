import type { Database, SqlStatement } from '#platform';

/**
 * Positions of events are given out under the lane's lock and become visible with their transactions, in another order.
 * Everything up to `pos` is final once every transaction that was running when `pos` was read has ended: whoever took a
 * position holds a row lock, hence a transaction id, since before.
 */
export interface PositionBound {
  /** The last position given out when we looked. */
  readonly pos: number;
  /** A transaction id taken afterwards: whoever took a position up to `pos` has a smaller one. */
  readonly xid: number;
  /** Names the server that said so; after a failover both numbers mean nothing. */
  readonly server: string;
}

/** Start of the server process, to the microsecond: another one after a restart and on a promoted standby. */
const server = `extract(epoch FROM pg_postmaster_start_time())::text AS server`;

const lastStatement: SqlStatement = {
  name: 'last_event_position',
  text: `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS pos, ${server} FROM event_pos_seq`,
};

const boundStatement: SqlStatement = {
  name: 'bound_event_position',
  text: `SELECT pg_current_xact_id()::text::bigint AS xid, ${server}`,
};

const oldestStatement: SqlStatement = {
  name: 'oldest_transaction',
  text: `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid, ${server}`,
};

/** The last position given out; costs next to nothing. */
export async function lastPosition(database: Database): Promise<Pick<PositionBound, 'pos' | 'server'>> {
  const { rows } = await database.execute<{ pos: number; server: string }>(lastStatement);
  const row = rows[0];
  if (row === undefined) throw new Error('the sequence of positions is missing');
  return row;
}

/**
 * A bound that turns final with time. The position is read before the transaction id is taken: the other way round a
 * position could slip in between.
 * @returns null when the server changed in between
 */
export async function takeBound(database: Database): Promise<PositionBound | null> {
  const last = await lastPosition(database);
  const { rows } = await database.execute<{ xid: number; server: string }>(boundStatement);
  const row = rows[0];
  return row?.server === last.server ? { ...last, xid: row.xid } : null;
}

/** `open`: a transaction from before the bound is still running. `void`: another server, the bound means nothing. */
export async function isFinal(database: Database, bound: PositionBound): Promise<'final' | 'open' | 'void'> {
  const { rows } = await database.execute<{ xid: number; server: string }>(oldestStatement);
  const row = rows[0];
  if (row?.server !== bound.server) return 'void';
  return row.xid >= bound.xid ? 'final' : 'open';
}
