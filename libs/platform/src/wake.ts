/** Tells idle delivery that work may be due, so that it need not poll (docs/decisions/0015-what-makes-it-fast.md). */
export interface Wake {
  /**
   * Whether `onNotify` is also called for the work of other processes, as far as one can know: their notifications reach
   * us. Idle delivery then looks by itself only once in a while.
   */
  readonly hearsOthers: boolean;
  /** Work may be due now. Cheap; may be called once per batch. */
  notify(): void;
  /** Calls `listener` on each notify until the returned function is called. */
  onNotify(listener: () => void): () => void;
}

/** Wake within one process. `WorkListener` passes on what others notify, and says whether it does. */
export class LocalWake implements Wake {
  hearsOthers = false;
  private readonly listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.listeners) listener();
  }

  onNotify(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
