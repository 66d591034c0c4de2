import { errorCode, errorName, SafeError } from '../errors.js';

/** Why a database call failed, by what the caller can do about it. */
type DatabaseErrorKind =
  /** The server is away, shutting down, out of connections or does not let us in: try again later. */
  | 'unavailable'
  /** Deadlock or serialization failure that outlived its retries. */
  | 'contention'
  /** Anything else: a defect or a violated constraint. */
  | 'failed';

/** A failed database call: the statement's or transaction's name, the SQLSTATE, never a parameter's value. */
export class DatabaseError extends SafeError {
  override readonly name = 'DatabaseError';

  constructor(
    readonly operation: string,
    readonly kind: DatabaseErrorKind,
    options: { readonly sqlState: string | null; readonly cause: unknown },
  ) {
    super(
      `database operation ${operation} failed (${kind}${options.sqlState === null ? '' : `, ${options.sqlState}`})`,
      {
        cause: options.cause,
      },
    );
    this.sqlState = options.sqlState;
  }

  readonly sqlState: string | null;
}

const contentionStates = new Set(['40P01', '40001']);

/**
 * Classes and codes of PostgreSQL's appendix A that mean "not now": connection, login, resources, operator intervention,
 * trouble of the system. A login is refused while a password is being changed here and there. 25006: the server takes no
 * writes, for its disk is full or another one has taken over: what a partner has answered must outlive that.
 */
function isAway(sqlState: string): boolean {
  return sqlState === '25006' || ['08', '28', '53', '57', '58'].includes(sqlState.slice(0, 2));
}

/** The first characters in use (appendix A): Node's own codes of five letters, such as EPIPE, all begin with E. */
const sqlStatePattern = /^[0-9FHPX][0-9A-Z]{4}$/;

/** SQLSTATE of a node-postgres error, or null for socket errors and the driver's own. */
export function sqlStateOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const { code } = error;
  return typeof code === 'string' && sqlStatePattern.test(code) ? code : null;
}

/** SQLSTATE classes whose messages name users, databases and other objects, never what is in a row. */
const objectClasses = new Set(['28', '3D', '42', '53', '55', '57', '58']);

/** What Postgres says of users, databases and other objects; null where it may quote a row. */
export function objectMessage(error: unknown): string | null {
  const sqlState = sqlStateOf(error);
  return error instanceof Error && sqlState !== null && objectClasses.has(sqlState.slice(0, 2)) ? error.message : null;
}

/** Wraps whatever the driver threw. Errors without an SQLSTATE come from the socket or the pool: unavailable. */
export function toDatabaseError(operation: string, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const sqlState = sqlStateOf(error);
  if (sqlState === null) {
    const kind = error instanceof TypeError || error instanceof RangeError ? 'failed' : 'unavailable';
    return new DatabaseError(operation, kind, { sqlState, cause: error });
  }
  if (contentionStates.has(sqlState)) return new DatabaseError(operation, 'contention', { sqlState, cause: error });
  return new DatabaseError(operation, isAway(sqlState) ? 'unavailable' : 'failed', { sqlState, cause: error });
}

/** Why no connection to Postgres was made. `other`: see `code`. */
export type ConnectFailureKind =
  | 'unknown-host'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'password'
  | 'no-database'
  | 'not-allowed'
  | 'full'
  | 'starting'
  | 'pooler'
  | 'other';

interface ConnectFailure {
  readonly kind: ConnectFailureKind;
  /** Node's, OpenSSL's or Postgres' code; fit for a log. */
  readonly code: string;
}

const kinds: ReadonlyMap<string, ConnectFailureKind> = new Map([
  ['ENOTFOUND', 'unknown-host'],
  ['EAI_AGAIN', 'unknown-host'],
  ['ECONNREFUSED', 'refused'],
  ['ECONNRESET', 'unreachable'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EPIPE', 'unreachable'],
  ['ETIMEDOUT', 'timeout'],
  // Appendix A of the PostgreSQL documentation.
  ['28P01', 'password'],
  ['28000', 'not-allowed'],
  ['42501', 'not-allowed'],
  ['3D000', 'no-database'],
  ['53300', 'full'],
  ['57P01', 'starting'],
  ['57P03', 'starting'],
]);

const tlsCode = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/;

const withoutTls = 'The server does not support SSL connections';

/** The driver's own errors have no codes. */
function kindByMessage(message: string): ConnectFailureKind {
  if (/SSL|certificate/i.test(message)) return 'tls';
  if (/timeout|timed out/i.test(message)) return 'timeout';
  if (/password must be|SASL|SCRAM/.test(message)) return 'password';
  return 'other';
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
}

/** PgBouncer and its likes, and Amazon's RDS Proxy; Postgres itself takes our settings. */
function isOfPooler(code: string | null, message: string): boolean {
  if (code === '08P01') return message.includes('startup parameter');
  return code === '0A000' && message.includes('command-line options');
}

/** Tells apart why a connection was not made. Its message is not passed on: it may quote what it choked on. */
export function connectFailure(error: unknown): ConnectFailure {
  const code = errorCode(error);
  const message = messageOf(error);
  if (message === withoutTls) return { kind: 'tls', code: 'SERVER_WITHOUT_TLS' };
  if (isOfPooler(code, message)) return { kind: 'pooler', code: code ?? errorName(error) };
  if (code === null) return { kind: kindByMessage(message), code: errorName(error) };
  return { kind: kinds.get(code) ?? (tlsCode.test(code) ? 'tls' : 'other'), code };
}
