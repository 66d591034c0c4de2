import type { Wake } from './wake.js';

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
