import { getEventListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { VirtualClock } from '#test-support';
import type { HttpResult } from './http-exchange.js';
import { HttpExchange, lostErrorKind, unsentErrorKind } from './http-exchange.js';

const request = { origin: 'http://x', path: '/', method: 'POST', headers: {}, body: '{}', timeoutMs: 1_000 } as const;

function begin(signal?: AbortSignal): {
  clock: VirtualClock;
  exchange: HttpExchange;
  results: HttpResult[];
  controller: Dispatcher.DispatchController;
  aborts: Error[];
} {
  const clock = new VirtualClock();
  const results: HttpResult[] = [];
  const exchange = new HttpExchange({ ...request, signal }, clock, (result) => results.push(result));
  exchange.start({ dispatch: () => true } as unknown as Dispatcher);
  const aborts: Error[] = [];
  const controller = { abort: (reason: Error) => aborts.push(reason) } as unknown as Dispatcher.DispatchController;
  return { clock, exchange, results, controller, aborts };
}

describe('HttpExchange', () => {
  it('refuses to be written a second time; the outcome stays "sent"', () => {
    const { exchange, results, controller } = begin();
    exchange.onRequestStart(controller);
    let refusal: unknown;
    try {
      exchange.onRequestStart(controller);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ message: 'would be sent twice' });
    exchange.onResponseError(controller, refusal as Error);
    expect(results).toMatchObject([{ phase: 'sent', error: 'reset' }]);
  });

  it('refuses to be written after the deadline', async () => {
    const { clock, exchange, results, controller } = begin();
    await clock.advance(1_000);
    expect(results).toMatchObject([{ phase: 'not-sent', error: 'timeout' }]);
    expect(() => exchange.onRequestStart(controller)).toThrow('ended before it was sent');
  });

  it('settles once, takes its timer down and aborts what is under way', async () => {
    const { clock, exchange, results, controller, aborts } = begin();
    exchange.onRequestStart(controller);
    await clock.advance(1_000);
    exchange.onResponseData(controller, Buffer.from('late'));
    exchange.onResponseEnd();
    expect(results).toHaveLength(1);
    expect(results).toMatchObject([{ phase: 'sent', error: 'timeout' }]);
    expect(aborts).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no listener and no timer behind', () => {
    const abort = new AbortController();
    const { clock, exchange, results, controller } = begin(abort.signal);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});
    exchange.onResponseEnd();
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
    expect(results).toMatchObject([{ phase: 'answered' }]);
  });
});

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
