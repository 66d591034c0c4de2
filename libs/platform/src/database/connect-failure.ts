import { errorCode, errorName } from '../errors/error-code.js';

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
  | 'other';

export interface ConnectFailure {
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

/** Tells apart why a connection was not made. Its message is not passed on: it may quote what it choked on. */
export function connectFailure(error: unknown): ConnectFailure {
  const code = errorCode(error);
  const message = messageOf(error);
  if (message === withoutTls) return { kind: 'tls', code: 'SERVER_WITHOUT_TLS' };
  if (code === null) return { kind: kindByMessage(message), code: errorName(error) };
  return { kind: kinds.get(code) ?? (tlsCode.test(code) ? 'tls' : 'other'), code };
}
