import { getEventListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { VirtualClock } from '#test-support';
import { HttpExchange } from './http-exchange.js';
import type { HttpResult } from './http-result.js';

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
