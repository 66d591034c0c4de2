/** Tells idle delivery in the same process that work may be due, so that it need not poll (design.md section 4). */
export interface Wake {
  /** Work may be due now. Cheap; may be called once per batch. */
  notify(): void;
  /** Calls `listener` on each notify until the returned function is called. */
  onNotify(listener: () => void): () => void;
}
