import { ApiProblem } from '#operations';
import type { Clock } from '#platform';

export interface DoorLimits {
  /** Requests that wait for Kafka. */
  readonly atOnceMax: number;
  /** Of these, of one token or hook: it never takes the room of all others. */
  readonly atOncePerCallerMax: number;
  /** Of one token or hook. */
  readonly requestsPerSecond: number;
  /** So many may come at once after a pause. */
  readonly burstMax: number;
  /** What the broker has not acknowledged by then is answered with 503. */
  readonly acknowledgedMsMax: number;
}

export const doorLimits: DoorLimits = {
  atOnceMax: 256,
  atOncePerCallerMax: 64,
  requestsPerSecond: 200,
  burstMax: 400,
  acknowledgedMsMax: 10_000,
};

/** `kafka-away` and the like: why a request was refused, for metrics and problems. */
export function refused(
  status: number,
  code: string,
  title: string,
  { detail, retrySeconds }: { readonly detail?: string; readonly retrySeconds?: number } = {},
): ApiProblem {
  return new ApiProblem({
    ...{ status, code, title },
    ...(detail === undefined ? {} : { detail }),
    ...(retrySeconds === undefined ? {} : { headers: { 'retry-after': String(retrySeconds) } }),
  });
}

interface Allowance {
  requests: number;
  at: number;
  underWay: number;
}

/** How many requests each token and each hook may have under way, and how many in a second. In memory: each replica counts for itself. */
export class DoorTurns {
  private readonly byCaller = new Map<string, Allowance>();
  private underWay = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly limits: DoorLimits,
  ) {}

  get current(): number {
    return this.underWay;
  }

  /**
   * @param caller a token's or a hook's own name: there are as many as are configured
   * @returns ends the request
   * @throws {ApiProblem} 429 or 503
   */
  enter(caller: string): () => void {
    const allowance = this.allowanceOf(caller);
    if (allowance.requests < 1) throw refused(429, 'too-fast', 'Too many requests', { retrySeconds: 1 });
    if (allowance.underWay >= this.limits.atOncePerCallerMax) {
      throw refused(429, 'too-many-at-once', 'Too many requests at once', { retrySeconds: 1 });
    }
    if (this.underWay >= this.limits.atOnceMax) {
      throw refused(503, 'door-full', 'Too many requests wait for Kafka', { retrySeconds: 2 });
    }
    allowance.requests -= 1;
    allowance.underWay += 1;
    this.underWay += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      allowance.underWay -= 1;
      this.underWay -= 1;
    };
  }

  private allowanceOf(caller: string): Allowance {
    const now = this.clock.monotonic();
    const { requestsPerSecond, burstMax } = this.limits;
    const known = this.byCaller.get(caller) ?? { requests: burstMax, at: now, underWay: 0 };
    const gained = (Math.max(0, now - known.at) / 1_000) * requestsPerSecond;
    known.requests = Math.min(burstMax, known.requests + gained);
    known.at = now;
    this.byCaller.set(caller, known);
    return known;
  }
}
