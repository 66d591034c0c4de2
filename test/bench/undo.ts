/** What must be undone, last first; everything is tried. */
export class Undo {
  private readonly steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** Runs `work`, then undoes, however it ended. What went wrong first is thrown. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await this.run();
      throw error;
    }
    const [failure] = await this.run();
    if (failure !== undefined) throw failure;
    return result;
  }

  private async run(): Promise<Error[]> {
    const failures: Error[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      await step().catch((error: unknown) => failures.push(error instanceof Error ? error : new Error(String(error))));
    }
    return failures;
  }
}
