import type { Clock } from '#platform';

import type { DeliveryEffect } from './engine/delivery-effect.js';

export type EffectType = DeliveryEffect['type'];

interface OpenEffect {
  readonly type: EffectType;
  /** Monotonic. */
  readonly since: number;
}

/** What reaches out of the process and has not come back yet. */
export class EffectsUnderWay {
  private readonly open = new Map<Promise<void>, OpenEffect>();
  private endedAt: number;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.endedAt = clock.monotonic();
  }

  add(type: EffectType, task: Promise<void>): void {
    this.open.set(task, { type, since: this.clock.monotonic() });
    void task.finally(() => {
      this.open.delete(task);
      this.endedAt = this.clock.monotonic();
    });
  }

  get all(): readonly Promise<void>[] {
    return [...this.open.keys()];
  }

  /** For how many milliseconds the oldest of these has been under way; null: none is. */
  oldestMs(types: ReadonlySet<EffectType>): number | null {
    const now = this.clock.monotonic();
    const ages = [...this.open.values()].filter(({ type }) => types.has(type)).map(({ since }) => now - since);
    return ages.length === 0 ? null : Math.max(...ages);
  }

  /** Milliseconds since one ended; at first, since the beginning. */
  get restMs(): number {
    return this.clock.monotonic() - this.endedAt;
  }
}
