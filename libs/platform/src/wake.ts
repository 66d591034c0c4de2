/** Tells idle delivery that work may be due, so that it need not poll (docs/decisions/0015-what-makes-it-fast.md). */
export interface Wake {
  /**
   * Whether `onNotify` is also called for the work of other processes, as far as one can know: their notifications reach
   * us. Idle delivery then looks by itself only once in a while.
   */
  readonly hearsOthers: boolean;
  /** There is work. Cheap; may be called once per batch. @param isDue false: it is being done in this process already */
  notify(isDue?: boolean): void;
  /** Calls `listener` on each notify until the returned function is called. */
  onNotify(listener: (isDue: boolean) => void): () => void;
}

/** Wake within one process. `WorkListener` passes on what others notify, and says whether it does. */
export class LocalWake implements Wake {
  hearsOthers = false;
  private readonly listeners = new Set<(isDue: boolean) => void>();

  notify(isDue = true): void {
    for (const listener of this.listeners) listener(isDue);
  }

  onNotify(listener: (isDue: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
