import { AdaptiveLimit } from '../adaptive-limit.js';

const startAt = 1_000_000;

/** A partner with so many servers and a queue before them. Times in milliseconds. */
export interface QueueingPartner {
  /** Calls it works on at once; the others wait. */
  servers: number;
  serviceMs: number;
  /** Calls beyond this many in its house are refused at once (429); Infinity: it has no such limit. */
  readonly refusesBeyond: number;
  /** The way there and back, whatever the load. */
  wayMs: number;
}

interface Call {
  readonly at: number;
  startedAt: number | null;
}

interface Answer {
  readonly at: number;
  readonly endsAt: number;
  readonly signal: 'ok' | 'overload';
}

/** A backlog that never ends against a partner with a queue, in virtual time: one step is one millisecond. */
export class PartnerQueue {
  readonly limit: AdaptiveLimit;
  /** The limit, looked at every 100 ms. */
  readonly limits: number[] = [];
  /** Calls done in each second. */
  readonly done: number[] = [];
  refused = 0;
  /** Longest latency since `slowestMs` was set to 0. */
  slowestMs = 0;
  private house: Call[] = [];
  private answers: Answer[] = [];
  private elapsedMs = 0;

  constructor(
    private readonly partner: QueueingPartner,
    max = 256,
  ) {
    this.limit = new AdaptiveLimit(max);
  }

  run(seconds: number): this {
    for (const endAt = this.elapsedMs + seconds * 1_000; this.elapsedMs < endAt; this.elapsedMs += 1) this.step();
    return this;
  }

  private step(): void {
    if (this.elapsedMs % 100 === 0) this.limits.push(this.limit.limit);
    if (this.elapsedMs % 1_000 === 0) this.done.push(0);
    const now = startAt + this.elapsedMs;
    this.serve(now);
    for (const answer of this.answers) if (answer.endsAt <= now) this.hear(answer, now);
    this.answers = this.answers.filter(({ endsAt }) => endsAt > now);
    while (this.underWay < this.limit.limit) this.call(now);
  }

  private get underWay(): number {
    return this.house.length + this.answers.length;
  }

  private serve(now: number): void {
    const { servers, serviceMs, wayMs } = this.partner;
    const isDone = ({ startedAt }: Call): boolean => startedAt !== null && now >= startedAt + serviceMs;
    for (const { at } of this.house.filter(isDone)) this.answers.push({ at, endsAt: now + wayMs, signal: 'ok' });
    this.house = this.house.filter((call) => !isDone(call));
    const waiting = this.house.filter(({ startedAt }) => startedAt === null);
    const free = Math.max(0, servers - (this.house.length - waiting.length));
    for (const call of waiting.slice(0, free)) call.startedAt = now;
  }

  private hear({ at, signal }: Answer, now: number): void {
    const durationMs = now - at;
    this.limit.answered({ operation: 'transaction', durationMs, at: now, signal, underWay: this.underWay });
    this.slowestMs = Math.max(this.slowestMs, durationMs);
    if (signal === 'overload') this.refused += 1;
    else this.done.push((this.done.pop() ?? 0) + 1);
  }

  private call(now: number): void {
    const { refusesBeyond, wayMs } = this.partner;
    if (this.house.length < refusesBeyond) this.house.push({ at: now, startedAt: null });
    else this.answers.push({ at: now, endsAt: now + 1 + wayMs, signal: 'overload' });
  }
}
