import type { Clock } from '#platform';
import { errorCode, errorName, SafeError } from '#platform';

import type { Finding } from './finding.js';
import { durationText, failed, skipped } from './finding.js';

/**
 * How long checks may take. No chain of checks that build on each other is longer than three: a connection, what is read
 * by it, and what is concluded from two such readings. So the whole ends within their sum, 13 s, whatever hangs.
 */
export const connectMs = 5_500;
export const readMs = 4_000;
export const concludeMs = 3_500;
/** How long letting go of connections is waited for. */
export const releaseMs = 1_000;

/** What a check found, and what others build on; null where they cannot. */
export interface Examined<Value> {
  readonly findings: readonly Finding[];
  readonly value: Value | null;
}

export interface CheckPlan {
  readonly name: string;
  readonly timeoutMs: number;
  /** What to do when the check gives no answer in time, or breaks. */
  readonly remedy: string;
}

/** A check under way, for those that build on it. */
export interface Step<Value> {
  readonly name: string;
  /** Null: they cannot be made. Never rejects. */
  readonly value: Promise<Value | null>;
}

type Work<Value> = (signal: AbortSignal) => Promise<Examined<Value>>;

function codeOf(error: unknown): string {
  const code = errorCode(error);
  return code === null ? errorName(error) : `${errorName(error)}, ${code}`;
}

/** Only our own messages are shown: others may quote what they choked on, secrets included. */
function brokenText(error: unknown): string {
  return error instanceof SafeError ? error.message : `the check itself broke (${codeOf(error)})`;
}

/**
 * Checks side by side, each with a timeout of its own; those that build on another one begin when it is done, and are
 * skipped where it could not be made. A check that breaks is a finding like any other.
 */
export class Examination {
  private readonly findings: Promise<readonly Finding[]>[] = [];
  private readonly works: Promise<unknown>[] = [];

  constructor(private readonly clock: Clock) {}

  /** Begins a check at once. */
  check<Value>(plan: CheckPlan, work: Work<Value>): Step<Value> {
    return this.note(plan.name, this.within(plan, work));
  }

  /** Begins it when the other one is done. */
  after<Before, Value>(
    before: Step<Before>,
    plan: CheckPlan,
    work: (before: Before, signal: AbortSignal) => Promise<Examined<Value>>,
  ): Step<Value> {
    const examined = before.value.then((value) =>
      value === null
        ? { findings: [skipped(plan.name, `not looked at: it builds on ${before.name}`)], value: null }
        : this.within(plan, (signal) => work(value, signal)),
    );
    return this.note(plan.name, examined);
  }

  /** Two to build on. */
  both<One, Other>(one: Step<One>, other: Step<Other>): Step<readonly [One, Other]> {
    const value = Promise.all([one.value, other.value]).then(([first, second]) =>
      first === null || second === null ? null : ([first, second] as const),
    );
    return { name: `${one.name} and ${other.name}`, value };
  }

  /** What needs no looking. */
  add(...findings: readonly Finding[]): void {
    this.findings.push(Promise.resolve(findings));
  }

  /** Everything that was found, in the order in which the checks were begun. */
  async report(): Promise<readonly Finding[]> {
    return (await Promise.all(this.findings)).flat();
  }

  /** Resolves when nothing is under way any more, the checks included that nobody waited for to the end. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.works);
  }

  private note<Value>(name: string, examined: Promise<Examined<Value>>): Step<Value> {
    this.findings.push(examined.then(({ findings }) => findings));
    return { name, value: examined.then(({ value }) => value) };
  }

  private async within<Value>(plan: CheckPlan, work: Work<Value>): Promise<Examined<Value>> {
    const { name, timeoutMs, remedy } = plan;
    const giveUp = new AbortController();
    let cancel: () => void = () => undefined;
    const tooLate = new Promise<Examined<Value>>((resolve) => {
      cancel = this.clock.after(timeoutMs, () => {
        giveUp.abort();
        const detail = `no answer within ${durationText(timeoutMs)}`;
        resolve({ findings: [failed(name, { detail, remedy })], value: null });
      });
    });
    const working = this.begun(work, giveUp.signal).catch((error: unknown) => {
      const detail = brokenText(error);
      return { findings: [failed(name, { detail, remedy })], value: null };
    });
    this.works.push(working);
    return Promise.race([working, tooLate]).finally(cancel);
  }

  /** A check that throws before it waits for anything is no exception. */
  private async begun<Value>(work: Work<Value>, signal: AbortSignal): Promise<Examined<Value>> {
    return work(signal);
  }
}

/** A check that is not to be made in this process. */
export function notMade<Value>(name: string): Step<Value> {
  return { name, value: Promise.resolve(null) };
}
