/** What must be closed, in the order opposite to its opening. */
export class ClosingList {
  private readonly steps: (() => Promise<void>)[] = [];
  private closing: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /** Runs every step, also after one that failed; throws the first failure. Again: the same promise. */
  close(): Promise<void> {
    return (this.closing ??= this.run());
  }

  private async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.toReversed()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
