import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

/** Whether the processes work by the same programs file, as this one last heard. */
export function registerProgramsMetrics(registry: Registry, disagreeingSeconds: () => number): void {
  new Gauge({
    name: 'loyaltyd_programs_disagree_seconds',
    help: 'For how long processes have worked by different programs files; 0: all work by the same',
    registers: [registry],
    collect() {
      this.set(disagreeingSeconds());
    },
  });
}
