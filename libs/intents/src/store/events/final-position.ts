import type { Database, SqlStatement } from '#platform';

/**
 * Positions are given out by a sequence and become visible with their transactions, in another order. Everything up to
 * `pos` is final once every transaction that was running when `pos` was read has ended: whoever takes a position has a
 * transaction id since before. Of an event by the lane's row lock, of an action since its statement takes one first.
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

/** The sequences whose numbers are followed: those of all intents' events, and those of the actions in the audit. */
export type PositionSequence = 'event_pos_seq' | 'operator_action_action_id_seq';

/** SQL: the last number that a sequence has given out. */
const lastOf = (sequence: PositionSequence): string =>
  `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS pos, ${server} FROM ${sequence}`;

const lastStatements: Readonly<Record<PositionSequence, SqlStatement>> = {
  event_pos_seq: { name: 'last_event_position', text: lastOf('event_pos_seq') },
  operator_action_action_id_seq: { name: 'last_action_number', text: lastOf('operator_action_action_id_seq') },
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
export async function lastPosition(
  database: Database,
  sequence: PositionSequence = 'event_pos_seq',
): Promise<Pick<PositionBound, 'pos' | 'server'>> {
  const { rows } = await database.execute<{ pos: number; server: string }>(lastStatements[sequence]);
  const row = rows[0];
  if (row === undefined) throw new Error('the sequence of positions is missing');
  return row;
}

/**
 * A bound that turns final with time. The position is read before the transaction id is taken: the other way round a
 * position could slip in between.
 * @returns null when the server changed in between
 */
export async function takeBound(database: Database, sequence?: PositionSequence): Promise<PositionBound | null> {
  const last = await lastPosition(database, sequence);
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
