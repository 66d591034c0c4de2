import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { BackgroundLoop } from '#platform';

type Loop = Pick<BackgroundLoop, 'failingForMs'>;

/** What a process does beside consuming and delivering. */
type Work = 'outcomes' | 'dead-letters' | 'erasures' | 'operators' | 'partitions' | 'retention' | 'figures';

/** For how long each work of this process has failed; those that it does not do are absent. */
export class BackgroundMetrics {
  private readonly works = new Map<Work, readonly Loop[]>();

  constructor(registry: Registry) {
    const { works } = this;
    new Gauge({
      name: 'loyaltyd_background_failing_seconds',
      help: 'For how long work beside the main one has been tried in vain; 0: it is done',
      labelNames: ['work'],
      registers: [registry],
      collect() {
        for (const [work, loops] of works) {
          const failing = loops.map(({ failingForMs }) => failingForMs);
          if (failing.length > 0) this.set({ work }, Math.max(...failing) / 1_000);
        }
      },
    });
  }

  /** This process does that work, by these loops. */
  watch(work: Work, loops: readonly Loop[]): void {
    this.works.set(work, loops);
  }
}
