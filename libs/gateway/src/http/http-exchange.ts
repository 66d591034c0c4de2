import type { Clock, CancelTimer } from '#platform';
import type { AttemptPhase, TransportErrorKind } from '#domain';
import type { Dispatcher } from 'undici';
import { responseBodyBytesMax } from '../limits.js';
import { flattenHeaders } from './flatten-headers.js';
import type { HttpRequest } from './http-request.js';
import { type HttpResult, neverSent } from './http-result.js';
import { lostErrorKind, unsentErrorKind } from './transport-error-kind.js';

/** Stops undici from writing a request: it is thrown in the turn in which the write would follow. */
class RequestWithdrawn extends Error {}

/**
 * One request on its way through undici, and the phase it reached.
 *
 * The mark: undici calls `onRequestStart` once per write, in the same turn as, and just before, it hands the head and
 * body to the connected socket (`writeH1` in undici 7.30 and 8.12; the diagnostics channel `undici:client:sendHeaders`
 * fires between the two, and only costs more). Before it nothing can have been written; an error thrown from it
 * prevents the write. After it every ending without a complete answer is `sent`.
 *
 * undici writes a request a second time when its socket ends with an "informational" error before the answer; the
 * second `onRequestStart` refuses that, so that a request is never sent twice.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  private phase: Exclude<AttemptPhase, 'answered'> = 'not-sent';
  private controller: Dispatcher.DispatchController | null = null;
  private isSettled = false;
  private status: number | null = null;
  private headers: Readonly<Record<string, string>> = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private cancelTimer: CancelTimer | null = null;

  constructor(
    private readonly request: HttpRequest,
    private readonly clock: Clock,
    private readonly resolve: (result: HttpResult) => void,
  ) {}

  start(dispatcher: Dispatcher): void {
    const { signal, timeoutMs } = this.request;
    if (signal?.aborted === true) {
      this.resolve(neverSent('aborted'));
      return;
    }
    signal?.addEventListener('abort', this.onAbort, { once: true });
    this.cancelTimer = this.clock.after(timeoutMs, this.onDeadline);
    try {
      dispatcher.dispatch(this.request, this);
    } catch (error) {
      this.onResponseError(null, error as Error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isSettled) throw new RequestWithdrawn('ended before it was sent');
    if (this.phase === 'sent') throw new RequestWithdrawn('would be sent twice');
    this.phase = 'sent';
    this.controller = controller;
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // 1xx is only information; the answer is still to come.
    if (status < 200) return;
    this.status = status;
    this.headers = flattenHeaders(headers);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.isSettled) return;
    this.bytes += chunk.length;
    if (this.bytes > (this.request.responseBytesMax ?? responseBodyBytesMax)) this.giveUp('response-too-large');
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.settle('answered', null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    const kind = this.phase === 'sent' ? lostErrorKind(error, this.status) : unsentErrorKind(error);
    this.settle(this.phase, kind);
  }

  private readonly onDeadline = (): void => {
    this.giveUp('timeout');
  };

  private readonly onAbort = (): void => {
    this.giveUp('aborted');
  };

  private giveUp(kind: TransportErrorKind): void {
    if (this.isSettled) return;
    this.settle(this.phase, kind);
    this.controller?.abort(new RequestWithdrawn(kind));
  }

  private settle(phase: AttemptPhase, error: TransportErrorKind | null): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.cancelTimer?.();
    this.request.signal?.removeEventListener('abort', this.onAbort);
    const [first] = this.chunks;
    const body = this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks);
    this.resolve({ phase, error, status: this.status, headers: this.headers, body });
  }
}
