import { lostErrorKind, unsentErrorKind } from './transport-error-kind.js';

const failure = (code: string, message = ''): Error => Object.assign(new Error(message), { code });

describe('unsentErrorKind', () => {
  it.each([
    ['ENOTFOUND', 'dns-failure'],
    ['EAI_AGAIN', 'dns-failure'],
    ['ECONNREFUSED', 'connection-refused'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
    ['ETIMEDOUT', 'connect-timeout'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls-failure'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls-failure'],
    ['CERT_HAS_EXPIRED', 'tls-failure'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls-failure'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls-failure'],
    ['EHOSTUNREACH', 'connection-failed'],
    ['UND_ERR_INVALID_ARG', 'unsendable'],
    ['SOMETHING_NEW', 'connection-failed'],
  ])('%s -> %s', (code, kind) => {
    expect(unsentErrorKind(failure(code))).toBe(kind);
  });

  it('a reset during the handshake is a TLS failure, any other one a failed connection', () => {
    const message = 'Client network socket disconnected before secure TLS connection was established';
    expect(unsentErrorKind(failure('ECONNRESET', message))).toBe('tls-failure');
    expect(unsentErrorKind(failure('ECONNRESET'))).toBe('connection-failed');
    expect(unsentErrorKind(new Error('no code'))).toBe('connection-failed');
  });
});

describe('lostErrorKind', () => {
  it('tells an answer that broke off from one that never began', () => {
    expect(lostErrorKind(failure('ECONNRESET'), null)).toBe('reset');
    expect(lostErrorKind(failure('ECONNRESET'), 200)).toBe('truncated');
  });
});
