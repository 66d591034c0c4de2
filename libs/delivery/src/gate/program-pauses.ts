import type { Operation } from '#domain';
import type { CoordinationState } from '#intents';

/** An automatic pause of ours on its way into the database, or in it. */
interface OwnPause {
  readonly reason: string;
  readonly stage: 'wanted' | 'asked' | 'failed' | 'set';
  /** What was read earlier does not show it yet. Epoch ms. */
  readonly setAt: number;
}

/** A pause to be recorded. */
export interface WantedPause {
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
