/** Tells idle delivery in the same process that work may be due, so that it need not poll (design.md section 4). */
export interface Wake {
  /** Work may be due now. Cheap; may be called once per batch. */
  notify(): void;
  /** Calls `listener` on each notify until the returned function is called. */
  onNotify(listener: () => void): () => void;
}

/** Wake within one process. Roles run apart poll instead. */
export class LocalWake implements Wake {
  private readonly listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.listeners) listener();
  }

  onNotify(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
