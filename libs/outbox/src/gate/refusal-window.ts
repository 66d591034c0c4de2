import type { AttemptOutcome, Factor, HoldTarget, Operation } from '#intents/core';
import { answeredOtherwiseCode, isPlaceFactor, isUnprovenCode } from '#intents/core';

/** Refusals count for so long. */
const windowMinutes = 10;
const minuteMs = 60_000;
/** Of the members that were refused fewer than this part was served: something is broken for all of them. */
const servedShareMin = 0.1;
/** Calls that meet everybody by their very kind (a refused path, a 5xx of one reward) need less proof than refusals of a content. */
const inARowMax = 5;
/** Factors of an operation that are counted at once, at most. */
const factorsMax = 4_000;
/** So many are kept where there are more: it is not done again for each new one. */
const factorsKept = 3_000;

/** Stores and sources that are remembered as held, at most. */
const placesMax = 200;

/** These concern the credentials, not an operation: the breaker's business. */
const cutOffCodes: readonly string[] = ['no-token', 'unauthorized'];

/** What an answer shows about the calls that have something in common with it. */
export type Showing =
  | { readonly kind: 'served' }
  /** `at-once`: few such answers in a row are proof enough. */
  | { readonly kind: 'refused' | 'at-once'; readonly code: string };

/** An answered call. */
export interface AnsweredCall {
  readonly operation: Operation;
  /** As `factorsOf` orders them. */
  readonly factors: readonly Factor[];
  /** One lane is one member. */
  readonly laneId: number;
}

/** What is to be held, and why. */
export interface WantedHold extends HoldTarget {
  readonly operation: Operation;
  /** Stored in the clear: nothing personal. */
  readonly reason: string;
}

/**
 * What an outcome shows; null: nothing, for or against.
 * @param isMissed the partner did not do its work: a timeout, a 5xx
 */
export function showingOf(outcome: AttemptOutcome, { operation }: AnsweredCall, isMissed: boolean): Showing | null {
  if (outcome.kind === 'applied') return { kind: 'served' };
  const { code } = outcome;
  // An outage of the whole partner is the breaker's business; one reward may be broken by itself.
  if (isMissed) return operation === 'reward' ? { kind: 'at-once', code } : null;
  switch (outcome.kind) {
    case 'rejected':
      // Without a pass a purchase waits: many members may buy before they enrol.
      return code === 'no-such-pass' ? null : { kind: 'refused', code };
    case 'not-applied':
      return outcome.systemic && !cutOffCodes.includes(code) ? { kind: 'at-once', code } : null;
    case 'unknown':
      // A yes that proves nothing is no refusal, and costs the program as much when it meets everybody.
      return isUnprovenCode(code) ? { kind: 'refused', code } : null;
  }
}

interface Minute {
  readonly minute: number;
  served: number;
  refused: number;
  /** Who was refused; no more of them than make a hold. */
  readonly members: Set<number>;
}

/** The answers to calls with one thing in common. */
class FactorCounts {
  private minutes: Minute[] = [];
  private latest: Minute | null = null;
  /** Who was answered so, one after the other. */
  private inARow: { readonly code: string; readonly members: Set<number> } | null = null;

  add(showing: Showing, laneId: number, now: number, membersMax: number): void {
    const minute = this.minuteAt(now);
    if (showing.kind === 'served') minute.served += 1;
    else {
      minute.refused += 1;
      if (minute.members.size < membersMax) minute.members.add(laneId);
    }
    if (showing.kind !== 'at-once') this.inARow = null;
    else if (this.inARow?.code === showing.code) this.inARow.members.add(laneId);
    else this.inARow = { code: showing.code, members: new Set([laneId]) };
  }

  /** Since the epoch; -1: none yet. */
  get lastMinute(): number {
    return this.latest?.minute ?? -1;
  }

  /** Answers that count. */
  get calls(): number {
    return this.sum('served') + this.sum('refused');
  }

  /** How many members show that all such calls fail; null: not enough do. */
  failing(membersMax: number): { readonly members: number; readonly isInARow: boolean } | null {
    const inARow = this.inARow?.members.size ?? 0;
    if (inARow >= Math.min(inARowMax, membersMax)) return { members: inARow, isInARow: true };
    const members = new Set(this.minutes.flatMap((minute) => [...minute.members])).size;
    const [served, refused] = [this.sum('served'), this.sum('refused')];
    return members >= membersMax && served < servedShareMin * (served + refused) ? { members, isInARow: false } : null;
  }

  private minuteAt(now: number): Minute {
    const minute = Math.floor(now / minuteMs);
    if (this.latest?.minute === minute) return this.latest;
    const next: Minute = { minute, served: 0, refused: 0, members: new Set() };
    this.minutes = [...this.minutes.filter((each) => each.minute > minute - windowMinutes), next];
    this.latest = next;
    return next;
  }

  private sum(of: 'served' | 'refused'): number {
    return this.minutes.reduce((total, minute) => total + minute[of], 0);
  }
}

/** What is shown to be broken. */
interface Failing {
  readonly factor: Factor | null;
  readonly calls: number;
  readonly shown: { readonly members: number; readonly isInARow: boolean };
}

/** The answers to the calls of an operation. */
class OperationCounts {
  all = new FactorCounts();
  /** Stores and sources that are held. */
  private readonly places = new Set<Factor>();
  private readonly byFactor = new Map<Factor, FactorCounts>();

  of(factor: Factor | null): FactorCounts {
    if (factor === null) return this.all;
    const known = this.byFactor.get(factor);
    if (known !== undefined) return known;
    const counts = new FactorCounts();
    this.byFactor.set(factor, counts);
    if (this.byFactor.size > factorsMax) this.forgetOldest();
    return counts;
  }

  /** What is to be held of all that is broken for a call; null: nothing is. */
  narrowest(factors: readonly Factor[], membersMax: number): Failing | null {
    const failing = [...factors, null].flatMap((factor): Failing[] => {
      const counts = this.of(factor);
      const shown = counts.failing(membersMax);
      return shown === null ? [] : [{ factor, calls: counts.calls, shown }];
    });
    // Sorting keeps the order of what has as many calls.
    const [first, ...wider] = failing.toSorted((one, other) => one.calls - other.calls);
    if (first === undefined) return null;
    if (first.factor === null || !isPlaceFactor(first.factor)) return first;
    // A second place that is refused all it asks for, while nothing elsewhere was answered: it is not the places.
    const isAlone = this.places.size === 0;
    const notOfPlaces = wider.find(({ factor, calls }) => calls === first.calls && !isPlaceFactor(factor));
    if (!isAlone && notOfPlaces !== undefined) return notOfPlaces;
    if (this.places.size < placesMax) this.places.add(first.factor);
    return first;
  }

  /** It is held no more. */
  ended(factor: Factor | null): void {
    if (factor !== null) this.places.delete(factor);
    this.forget(factor);
  }

  forget(factor: Factor | null): void {
    if (factor === null) this.all = new FactorCounts();
    else this.byFactor.delete(factor);
  }

  /** Those answered longest ago go first. */
  private forgetOldest(): void {
    const byAge = [...this.byFactor].sort(([, a], [, b]) => b.lastMinute - a.lastMinute);
    for (const [factor] of byAge.slice(factorsKept)) this.byFactor.delete(factor);
  }
}

/**
 * Counts the answers of one program by what the calls have in common, and finds the narrowest of it that is broken: an ended
 * campaign must not stop the other rewards, a broken configuration must not park a hundred thousand good sales, and members who
 * are refused among others who are served hold nobody (design.md section 5). Pure of clocks.
 */
export class RefusalWindow {
  private readonly counts = new Map<Operation, OperationCounts>();

  /** @param membersMax so many refused members make a hold */
  constructor(private membersMax: number) {}

  change(membersMax: number): void {
    this.membersMax = membersMax;
  }

  /** Takes in an answer. @returns what is to be held; null: nothing */
  answered({ operation, factors, laneId }: AnsweredCall, showing: Showing, now: number): WantedHold | null {
    const counts = this.countsOf(operation);
    counts.all.add(showing, laneId, now, this.membersMax);
    for (const factor of factors) counts.of(factor).add(showing, laneId, now, this.membersMax);
    if (showing.kind === 'served') return null;
    const narrowest = counts.narrowest(factors, this.membersMax);
    if (narrowest === null) return null;
    // What one hold explains must not make a wider one.
    for (const each of [...factors, null]) counts.forget(each);
    const target = { operation, factor: narrowest.factor };
    return { ...target, reason: reasonOf(target, showing.code, narrowest.shown) };
  }

  /** It is held no more: its answers are counted anew. */
  forget({ operation, factor }: HoldTarget): void {
    const forgotten = operation === null ? this.counts.values() : [this.countsOf(operation)];
    for (const counts of forgotten) counts.ended(factor);
  }

  private countsOf(operation: Operation): OperationCounts {
    const known = this.counts.get(operation);
    if (known !== undefined) return known;
    const counts = new OperationCounts();
    this.counts.set(operation, counts);
    return counts;
  }
}

export function keyOf({ operation, factor }: HoldTarget): string {
  return `${operation ?? '*'} ${factor ?? '*'}`;
}

/** Why something is held, without the partner's message: that may name a person. */
function reasonOf(
  { operation, factor }: Pick<WantedHold, 'operation' | 'factor'>,
  code: string,
  { members, isInARow }: { readonly members: number; readonly isInARow: boolean },
): string {
  const what = factor === null ? operation : `${operation} (${factor})`;
  const whom = isInARow
    ? `for ${members} members in a row`
    : `for ${members} members within ten minutes, and served few`;
  if (code === answeredOtherwiseCode) return `the partner answered ${what} ${whom} otherwise than asked (${code})`;
  return isUnprovenCode(code)
    ? `the partner answered ${what} ${whom} with what proves nothing (${code})`
    : `the partner failed ${what} ${whom} (${code})`;
}
