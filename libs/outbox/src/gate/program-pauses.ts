import type { AttemptOutcome, Operation } from '#intents/core';
import { answeredOtherwiseCode, isUnprovenCode, refusalFingerprint } from '#intents/core';
import type { CoordinationState } from '#intents';

/** An automatic pause of ours on its way into the database, or in it. */
interface OwnPause {
  readonly reason: string;
  readonly stage: 'wanted' | 'asked' | 'failed' | 'set';
  /** What was read earlier does not show it yet. Epoch ms. */
  readonly setAt: number;
}

/** A pause to be recorded. */
interface WantedPause {
  readonly operation: Operation;
  readonly reason: string;
}

/** What of one program must not be begun: as the database says, and what this replica has just found broken. */
export class ProgramPauses {
  /** The whole program, by its own pause or by one of everything. */
  isProgramPaused = false;
  private operations = new Set<Operation>();
  private readonly own = new Map<Operation, OwnPause>();

  constructor(private readonly program: string) {}

  isPaused(operation: Operation): boolean {
    return this.isProgramPaused || this.operations.has(operation) || this.own.has(operation);
  }

  /** Only this operation, not the program. */
  isOperationPaused(operation: Operation): boolean {
    return !this.isProgramPaused && this.isPaused(operation);
  }

  /**
   * Takes over what the database says.
   * @param readAt when it was asked, at the latest
   * @returns operations that were paused and are so no more: a person says that they are mended
   */
  apply(pauses: CoordinationState['pauses'], readAt: number): Operation[] {
    const before = new Set([...this.operations, ...this.own.keys()]);
    const ours = pauses.filter(({ program }) => program === null || program === this.program);
    this.isProgramPaused = ours.some(({ operation }) => operation === null);
    this.operations = new Set(ours.flatMap(({ operation }) => (operation === null ? [] : [operation])));
    for (const [operation, { stage, setAt }] of this.own) {
      if (stage === 'set' && setAt < readAt && !this.operations.has(operation)) this.own.delete(operation);
    }
    return [...before].filter((operation) => !this.operations.has(operation) && !this.own.has(operation));
  }

  /** Pauses an operation by ourselves, at once; others follow when it is recorded. */
  want({ operation, reason }: WantedPause): void {
    if (!this.own.has(operation)) this.own.set(operation, { reason, stage: 'wanted', setAt: 0 });
  }

  /** What is to be recorded now. */
  takeWanted(): WantedPause[] {
    const wanted = [...this.own].filter(([, { stage }]) => stage === 'wanted');
    for (const [operation, pause] of wanted) this.own.set(operation, { ...pause, stage: 'asked' });
    return wanted.map(([operation, { reason }]) => ({ operation, reason }));
  }

  wasSet(operation: Operation, at: number): void {
    const pause = this.own.get(operation);
    if (pause !== undefined) this.own.set(operation, { ...pause, stage: 'set', setAt: at });
  }

  couldNotBeSet(operation: Operation): void {
    const pause = this.own.get(operation);
    if (pause !== undefined) this.own.set(operation, { ...pause, stage: 'failed' });
  }

  /** What could not be recorded is to be tried again. */
  retry(): void {
    for (const [operation, pause] of this.own) {
      if (pause.stage === 'failed') this.own.set(operation, { ...pause, stage: 'wanted' });
    }
  }
}

/** Refusals that meet everybody by their very kind need less proof than those of a content. */
const systemicRefusalsMax = 5;

/** These concern the credentials, not an operation: the breaker's business. */
const cutOffCodes: readonly string[] = ['no-token', 'unauthorized'];

interface Streak {
  readonly fingerprint: string;
  readonly code: string;
  /** Different members: one lane that is refused again and again proves nothing. */
  readonly lanes: Set<number>;
  readonly lanesMax: number;
}

/** What an answer means for its operation. */
export type StreakVerdict =
  | { readonly kind: 'fine' }
  /** The same refusal as so many before: the configuration is broken, not this intent. */
  | { readonly kind: 'broken'; readonly code: string; readonly members: number };

const fine: StreakVerdict = { kind: 'fine' };

/**
 * Counts, per operation of one program, how many members in a row were refused for the same reason, or answered with a
 * yes that proves nothing: a broken configuration must not park a hundred thousand good sales (design.md section 5).
 */
export class RefusalStreaks {
  private readonly streaks = new Map<Operation, Streak>();

  constructor(private sameRefusals: number) {}

  change(sameRefusals: number): void {
    this.sameRefusals = sameRefusals;
  }

  answered(operation: Operation, laneId: number, outcome: AttemptOutcome): StreakVerdict {
    if (outcome.kind === 'applied') this.streaks.delete(operation);
    const seen = this.refusalIn(outcome);
    if (seen === null) return fine;
    const before = this.streaks.get(operation);
    const streak = before?.fingerprint === seen.fingerprint ? before : seen;
    this.streaks.set(operation, streak);
    if (streak.lanes.size < streak.lanesMax) streak.lanes.add(laneId);
    if (streak.lanes.size < streak.lanesMax) return fine;
    return { kind: 'broken', code: streak.code, members: streak.lanes.size };
  }

  /** A person says that it is mended. */
  forget(operation: Operation): void {
    this.streaks.delete(operation);
  }

  /** null: says nothing, for or against. */
  private refusalIn(outcome: AttemptOutcome): Streak | null {
    switch (outcome.kind) {
      case 'rejected': {
        const { code, message } = outcome;
        // Without a pass a purchase waits: many members may buy before they enrol.
        if (code === 'no-such-pass') return null;
        return newStreak(refusalFingerprint(code, message), code, this.sameRefusals);
      }
      case 'not-applied': {
        const { code, systemic } = outcome;
        if (!systemic || cutOffCodes.includes(code)) return null;
        return newStreak(`systemic: ${code}`, code, Math.min(systemicRefusalsMax, this.sameRefusals));
      }
      case 'unknown': {
        const { code } = outcome;
        // A yes that proves nothing is no refusal, and costs the program as much when it meets everybody.
        return isUnprovenCode(code) ? newStreak('unproven', code, this.sameRefusals) : null;
      }
      case 'applied':
        return null;
    }
  }
}

function newStreak(fingerprint: string, code: string, lanesMax: number): Streak {
  return { fingerprint, code, lanes: new Set(), lanesMax };
}

/** Why an operation is paused, without the partner's message: that may name a person. */
export function pauseReason(
  operation: Operation,
  { code, members }: Extract<StreakVerdict, { kind: 'broken' }>,
): string {
  const inARow = `for ${members} members in a row`;
  if (code === answeredOtherwiseCode) {
    return `the partner answered ${operation} ${inARow} otherwise than asked (${code})`;
  }
  return isUnprovenCode(code)
    ? `the partner answered ${operation} ${inARow} with what proves nothing (${code})`
    : `the partner refused ${operation} ${inARow} for the same reason (${code})`;
}
