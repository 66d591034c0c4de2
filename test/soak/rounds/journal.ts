/** What is done to a run. */
export type InjectionKind =
  'restart' | 'reload' | 'invalid-file' | 'client-secret' | 'operator-tokens' | 'too-many' | 'error' | 'end';

export interface Injection {
  readonly kind: InjectionKind;
  /** The one process that it was done to; null: all of them. */
  readonly process: string | null;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Who did what to whom, and when: what a log line is held against. */
export class Journal {
  readonly injections: Injection[] = [];

  /** Writes down that the work was done, even where it failed. */
  async during<Result>(kind: InjectionKind, process: string | null, work: () => Promise<Result>): Promise<Result> {
    const from = Date.now();
    try {
      return await work();
    } finally {
      this.injections.push({ kind, process, from, to: Date.now() });
    }
  }

  counts(): Readonly<Record<string, number>> {
    const groups = Map.groupBy(this.injections, ({ kind }) => kind);
    return Object.fromEntries([...groups].map(([kind, group]): [string, number] => [kind, group.length]).toSorted());
  }
}
