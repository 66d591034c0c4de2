import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { BackgroundLoop } from '#platform';

type Loops = readonly (Pick<BackgroundLoop, 'failingForMs'> | null | undefined)[];

/** What a process does beside consuming and delivering. */
type Work = 'outcomes' | 'dead-letters' | 'erasures' | 'operators' | 'partitions' | 'retention' | 'figures';

/** For how long each work of this process has failed; those that it does not do are absent. */
export function registerBackgroundMetrics(registry: Registry, works: Readonly<Record<Work, Loops>>): void {
  new Gauge({
    name: 'loyaltyd_background_failing_seconds',
    help: 'For how long work beside the main one has been tried in vain; 0: it is done',
    labelNames: ['work'],
    registers: [registry],
    collect() {
      for (const [work, loops] of Object.entries(works)) {
        const failing = loops.flatMap((loop) => loop?.failingForMs ?? []);
        if (failing.length > 0) this.set({ work }, Math.max(...failing) / 1_000);
      }
    },
  });
}
