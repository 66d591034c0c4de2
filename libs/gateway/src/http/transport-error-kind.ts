import type { TransportErrorKind } from '#domain';

const BEFORE_THE_MARK: ReadonlyMap<string, TransportErrorKind> = new Map([
  ['ENOTFOUND', 'dns-failure'],
  ['EAI_AGAIN', 'dns-failure'],
  ['EAI_FAIL', 'dns-failure'],
  ['EAI_NODATA', 'dns-failure'],
  ['ECONNREFUSED', 'connection-refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['EPROTO', 'tls-failure'],
  ['UND_ERR_PRX_TLS', 'tls-failure'],
  ['UND_ERR_INVALID_ARG', 'unsendable'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'unsendable'],
]);

/** OpenSSL's verification errors have plain names (`DEPTH_ZERO_SELF_SIGNED_CERT`), Node's own begin with these. */
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA)/;
const TLS_MESSAGE = /secure TLS connection|SSL routines/;

/** Names why nothing could be sent. Any error is safe here: the mark was not reached. */
export function unsentErrorKind(error: Error): TransportErrorKind {
  const code = codeOf(error);
  const known = BEFORE_THE_MARK.get(code);
  if (known !== undefined) return known;
  return TLS_CODE.test(code) || TLS_MESSAGE.test(error.message) ? 'tls-failure' : 'connection-failed';
}

/** Names how an answer was lost after the mark. */
export function lostErrorKind(error: Error, status: number | null): TransportErrorKind {
  if (error.name === 'HTTPParserError') return 'malformed';
  return status === null ? 'reset' : 'truncated';
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
