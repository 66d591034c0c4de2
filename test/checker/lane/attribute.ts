import type { AskedEffect } from '../history.js';
import type { Attempt, Claim } from './attempt.js';

/** Attempts looked at for one item: a lane calls one after the other, so the right one is among the last begun. */
const candidatesMax = 64;

/** Something that the partner noted: an effect, or a request. */
export interface Noted {
  readonly operation: string;
  readonly key: string | null;
  readonly target: string | null;
  readonly content: string | null;
  readonly arrivedAt: number;
  readonly requestId: string | null;
}

/**
 * Finds the attempt that each item comes from and notes it there. By the request's id where the answer told it; else
 * by what was asked, begun before the request arrived and not answered before it arrived. Among several an attempt that
 * claims an effect goes before one that may have one, and that before one that claims none; then the latest. So the
 * evidence is read in our favour wherever it can be.
 *
 * A request carries no number of its own. Effects without a key (rewards, plain transactions, updates) are therefore
 * told apart by member, target, content and time only: of two equal grants it is seen that there are two effects, and
 * which attempt made which by when it arrived.
 */
export class Attribution {
  private readonly index: AttemptIndex;

  constructor(
    attempts: readonly Attempt[],
    private readonly toleranceMs: number,
  ) {
    this.index = new AttemptIndex(attempts);
  }

  /**
   * @param slotsOf where an attempt keeps what it made; each takes one, unless it is of the same request
   * @returns what no attempt can have made
   */
  assign<Item extends Noted>(items: readonly Item[], slotsOf: (attempt: Attempt) => Item[]): Item[] {
    const byArrival = items.toSorted((one, other) => one.arrivedAt - other.arrivedAt);
    return byArrival.filter((item) => {
      const attempt = this.index.named(item) ?? this.pick(item, (candidate) => slotsOf(candidate).length === 0);
      if (attempt === undefined) return true;
      slotsOf(attempt).push(item);
      this.index.remember(attempt, item);
      return false;
    });
  }

  private pick(item: Noted, isEmpty: (attempt: Attempt) => boolean): Attempt | undefined {
    const group = this.index.of(item);
    const begun = countBegun(group, item.arrivedAt + this.toleranceMs);
    const recent = group.slice(Math.max(0, begun - candidatesMax), begun);
    const candidates = recent.filter((attempt) => isEmpty(attempt) && isPossible(attempt, item, this.toleranceMs));
    const best = (claim: Claim): Attempt | undefined => bestOf(candidates, claim, item);
    return best('has-effect') ?? best('may-have') ?? best('has-none');
  }
}

type Described = Pick<Noted, 'operation' | 'key' | 'target' | 'content'>;

/** Whether it is one that this request would cause. */
export function isAsked(item: Described, asks: AskedEffect | null): boolean {
  if (asks?.operation !== item.operation) return false;
  if (asks.key !== null && asks.key !== item.key) return false;
  return isSameIfTold(asks.target, item.target) && isSameIfTold(asks.content, item.content);
}

function isSameIfTold(one: string | null, other: string | null): boolean {
  return one === null || other === null || one === other;
}

/** Attempts by what they ask, each list in the order of the begins: a lane may have tens of thousands. */
class AttemptIndex {
  private readonly buckets = new Map<string, Attempt[]>();
  private readonly groups = new Map<string, readonly Attempt[]>();
  private readonly byRequest = new Map<string, Attempt>();

  constructor(attempts: readonly Attempt[]) {
    for (const attempt of attempts) {
      const { asks, outcome } = attempt;
      if (asks === null) continue;
      if (outcome?.requestId) this.byRequest.set(outcome.requestId, attempt);
      const name = bucketName(asks.operation, asks.key, asks.content);
      const bucket = this.buckets.get(name) ?? [];
      bucket.push(attempt);
      this.buckets.set(name, bucket);
    }
  }

  /** The attempt whose answer told this very request, or that has something of it already. */
  named(item: Noted): Attempt | undefined {
    const attempt = item.requestId === null ? undefined : this.byRequest.get(item.requestId);
    return attempt !== undefined && isAsked(item, attempt.asks) ? attempt : undefined;
  }

  remember(attempt: Attempt, { requestId }: Noted): void {
    if (requestId !== null) this.byRequest.set(requestId, attempt);
  }

  of({ operation, key, target, content }: Described): readonly Attempt[] {
    const name = JSON.stringify([operation, key, target, content]);
    const known = this.groups.get(name);
    if (known !== undefined) return known;
    const names = [key, null].flatMap((k) => [content, null].map((c) => bucketName(operation, k, c)));
    const named = [...new Set(names)].map((bucket) => this.buckets.get(bucket) ?? []);
    const buckets = content === null ? [...this.buckets.values()] : named;
    const group = buckets.flat().filter(({ asks }) => isAsked({ operation, key, target, content }, asks));
    group.sort((one, other) => one.begin.event.at - other.begin.event.at);
    this.groups.set(name, group);
    return group;
  }
}

function bucketName(operation: string, key: string | null, content: string | null): string {
  return JSON.stringify([operation, key, content]);
}

/** How many of the group, which is sorted, were begun by then. */
function countBegun(group: readonly Attempt[], until: number): number {
  let [low, high] = [0, group.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((group[middle]?.begin.event.at ?? Infinity) <= until) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One whose begin had been committed by then, where there is one: a clock that has jumped makes later ones look begun. */
function bestOf(candidates: readonly Attempt[], claim: Claim, { arrivedAt }: Noted): Attempt | undefined {
  const claiming = candidates.filter((attempt) => attempt.claim === claim);
  return claiming.findLast(({ begin: { committedAt = 0 } }) => committedAt <= arrivedAt) ?? claiming.at(-1);
}

/** It is not known to have been another request, and was not answered before this one arrived. */
function isPossible({ outcome }: Attempt, { arrivedAt, requestId }: Noted, toleranceMs: number): boolean {
  const told = outcome?.requestId ?? null;
  if (told !== null && requestId !== null && told !== requestId) return false;
  if (outcome === null || outcome.event.type === 'AttemptUnknown') return true;
  return arrivedAt <= outcome.event.at + toleranceMs;
}
