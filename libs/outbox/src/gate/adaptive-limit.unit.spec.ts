import { AdaptiveLimit } from './adaptive-limit.js';

const startAt = 1_000_000;

/** A partner with so many servers and a queue before them. Times in milliseconds. */
interface QueueingPartner {
  /** Calls it works on at once; the others wait. */
  servers: number;
  serviceMs: number;
  /** Calls beyond this many under way are refused at once (429); Infinity: it has no such limit. */
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
class PartnerQueue {
  readonly limit: AdaptiveLimit;
  /** The limit, looked at every 100 ms. */
  readonly limits: number[] = [];
  /** Calls done in each second. */
  readonly done: number[] = [];
  refused = 0;
  /** Longest latency since `slowestMs` was set to 0. */
  slowestMs = 0;
  private fixture: Call[] = [];
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
    return this.fixture.length + this.answers.length;
  }

  private serve(now: number): void {
    const { servers, serviceMs, wayMs } = this.partner;
    const isDone = ({ startedAt }: Call): boolean => startedAt !== null && now >= startedAt + serviceMs;
    for (const { at } of this.fixture.filter(isDone)) this.answers.push({ at, endsAt: now + wayMs, signal: 'ok' });
    this.fixture = this.fixture.filter((call) => !isDone(call));
    const waiting = this.fixture.filter(({ startedAt }) => startedAt === null);
    const free = Math.max(0, servers - (this.fixture.length - waiting.length));
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
    if (this.fixture.length < refusesBeyond) this.fixture.push({ at: now, startedAt: null });
    else this.answers.push({ at: now, endsAt: now + 1 + wayMs, signal: 'overload' });
  }
}

const roomy: QueueingPartner = { servers: 10_000, serviceMs: 1, refusesBeyond: Infinity, wayMs: 1 };

/** When the limit was first at least that high, in milliseconds; the limit is looked at every 100. */
function reached(limit: number, { limits }: PartnerQueue): number {
  const index = limits.findIndex((each) => each >= limit);
  return index === -1 ? Infinity : index * 100;
}

describe('the adaptive limit', () => {
  it('opens up against an instant partner within a fraction of a second', () => {
    expect(reached(64, new PartnerQueue(roomy).run(1))).toBeLessThanOrEqual(500);
  });

  it('opens up within two seconds where the partner is far away but has room', () => {
    expect(reached(64, new PartnerQueue({ ...roomy, wayMs: 200 }).run(4))).toBeLessThanOrEqual(2_000);
  });

  it('never exceeds what this replica may do', () => {
    expect(Math.max(...new PartnerQueue(roomy, 40).run(2).limits)).toBe(40);
  });

  it('does not go up when nobody needs it', () => {
    const limit = new AdaptiveLimit(256);
    for (let index = 0; index < 1_000; index += 1) {
      limit.answered({ operation: 'reward', durationMs: 5, at: startAt + index * 20, signal: 'ok', underWay: 2 });
    }
    expect(limit.limit).toBe(16);
  });

  it('keeps the queue of an overloaded partner short and its servers busy', () => {
    // 20 servers of 100 ms each: 200 a second, however many calls wait. 256 calls at once would take 1,280 ms.
    const queue = new PartnerQueue({ servers: 20, serviceMs: 100, refusesBeyond: Infinity, wayMs: 5 }).run(10);
    queue.slowestMs = 0;
    queue.run(110);
    expect(Math.min(...queue.done.slice(10))).toBeGreaterThanOrEqual(150);
    expect(queue.slowestMs).toBeLessThanOrEqual(400);
  });

  it('finds the place below a refusal for too many requests', () => {
    const queue = new PartnerQueue({ servers: 30, serviceMs: 50, refusesBeyond: 30, wayMs: 5 }).run(30);
    const served = queue.done.slice(5).reduce((sum, count) => sum + count, 0);
    // 30 servers of 50 ms: 600 a second at best.
    expect(served / 25).toBeGreaterThanOrEqual(360);
    expect(queue.refused / served).toBeLessThan(0.02);
  });

  it('backs off when the partner loses its capacity, and comes back with it', () => {
    const partner: QueueingPartner = { servers: 100, serviceMs: 50, refusesBeyond: Infinity, wayMs: 5 };
    const queue = new PartnerQueue(partner).run(15);
    expect(queue.limits.at(-1)).toBeGreaterThanOrEqual(100);
    partner.servers = 5;
    queue.run(10);
    expect(queue.limits.at(-1)).toBeLessThanOrEqual(20);
    partner.servers = 100;
    queue.run(30);
    expect(queue.limits.at(-1)).toBeGreaterThanOrEqual(60);
  });

  it('accepts after a while that the partner is slower for good', () => {
    const partner: QueueingPartner = { ...roomy, wayMs: 50 };
    const queue = new PartnerQueue(partner).run(20);
    partner.wayMs = 250;
    queue.run(30);
    expect(Math.min(...queue.limits)).toBeLessThanOrEqual(16);
    queue.run(70);
    expect(queue.limits.at(-1)).toBeGreaterThanOrEqual(128);
  });

  it('halves once for a burst of refusals: those that were under way say nothing new', () => {
    const limit = new AdaptiveLimit(16);
    for (let index = 0; index < 16; index += 1) {
      const at = startAt + 100 + index;
      limit.answered({ operation: 'issue', durationMs: 100, at, signal: 'overload', underWay: 16 });
    }
    expect(limit.limit).toBe(8);
  });

  it('takes a slow operation for slow, not for overload', () => {
    const limit = new AdaptiveLimit(64);
    let at = startAt;
    const answer = (operation: string, durationMs: number, count: number): void => {
      for (let index = 0; index < count; index += 1) {
        limit.answered({ operation, durationMs, at: (at += 2), signal: 'ok', underWay: limit.limit });
      }
    };
    answer('transaction', 20, 600);
    answer('issue-via-workflow', 900, 600);
    answer('transaction', 20, 600);
    expect(limit.limit).toBe(64);
  });

  it('always lets one call through, and none where none is allowed', () => {
    const limit = new AdaptiveLimit(8);
    for (let index = 0; index < 20; index += 1) {
      const at = startAt + index * 1_000;
      limit.answered({ operation: 'issue', durationMs: 10, at, signal: 'overload', underWay: 1 });
    }
    expect(limit.limit).toBe(1);
    limit.change(0);
    expect(limit.limit).toBe(0);
    limit.change(4);
    expect(limit.limit).toBe(1);
  });
});
