import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { BreakerStage, GateState } from '#outbox';
import type { BackgroundLoop } from '#platform';

type Loop = Pick<BackgroundLoop, 'failingForMs'>;

/** What a process does beside consuming and delivering. */
type Work = 'outcomes' | 'dead-letters' | 'erasures' | 'operators' | 'notices' | 'audit' | 'figures';

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

/** 0: calls flow; 1: half-open, a call at a time finds out; 2: open, none. */
const breakerValues: Readonly<Record<BreakerStage, number>> = { closed: 0, trying: 1, probing: 1, open: 2 };

type ShownGate = Pick<GateState, 'limit' | 'breaker'>;

/** Each program's limit and breaker (contracts.md section 8) of this replica, read when they are scraped. */
export function registerGateMetrics(registry: Registry, gates: () => ReadonlyMap<string, ShownGate>): void {
  new Gauge({
    name: 'loyaltyd_partner_limit',
    help: 'Calls to the partner that this process may have under way at once; adapts within the configured limits',
    labelNames: ['program'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [program, { limit }] of gates()) this.set({ program }, limit);
    },
  });
  new Gauge({
    name: 'loyaltyd_breaker_state',
    help: 'Circuit breaker of this replica: 0 closed, 1 half-open, 2 open',
    labelNames: ['program'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [program, { breaker }] of gates()) this.set({ program }, breakerValues[breaker]);
    },
  });
}

/** The files of secrets and certificates that this process follows, by variable. */
interface FollowedFiles {
  readonly followed: readonly string[];
  readonly broken: ReadonlyMap<string, string>;
}

/** Whether each file can be used as it is now. */
export function registerFileMetrics(registry: Registry, files: FollowedFiles): void {
  new Gauge({
    name: 'loyaltyd_file_broken',
    help: 'Whether the file of a variable cannot be used as it is now: the last good value is in force',
    labelNames: ['file'],
    registers: [registry],
    collect() {
      for (const file of files.followed) this.set({ file }, files.broken.has(file) ? 1 : 0);
    },
  });
}

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
