/** What must be undone, last first; everything is tried, and the first failure told. */
export class Undo {
  private readonly steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** Runs `work`, then undoes, however it ended. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.run();
    }
  }

  private async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
