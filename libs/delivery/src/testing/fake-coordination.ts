import type { Operation } from '#domain';
import type { CoordinationState, PauseTarget, ReplicaReport } from '#intents';
import { putOffMark, replicaTtlMs } from '#intents';

import type { FakeStore } from './fake-store.js';

type StoredPause = PauseTarget & { readonly automatic: boolean; readonly since: number };

function isSame(one: PauseTarget, other: PauseTarget): boolean {
  return one.program === other.program && one.operation === other.operation;
}

/** The tables `replica`, `program_gate` and `pause` in memory; each method is one transaction of `#intents`. */
export class FakeCoordination {
  pauses: StoredPause[] = [];
  private readonly replicas = new Map<string, { readonly heartbeatAt: number; readonly report: ReplicaReport }>();

  constructor(private readonly store: FakeStore) {}

  /** A statement does not see what it writes itself: the others are read as they were before. */
  report(report: ReplicaReport, now: number): CoordinationState {
    const alive = [...this.replicas.values()].filter(({ heartbeatAt }) => heartbeatAt > now - replicaTtlMs);
    const others = alive.map(({ report: other }) => other).filter(({ replicaId }) => replicaId !== report.replicaId);
    this.replicas.set(report.replicaId, { heartbeatAt: now, report });
    const gates = alive.flatMap(({ report: other }) => other.gates);
    return { others, gates, pauses: this.pauses };
  }

  leave(replicaId: string): void {
    this.replicas.delete(replicaId);
  }

  set(pause: PauseTarget & { readonly automatic: boolean }, now: number): void {
    if (!this.pauses.some((other) => isSame(other, pause))) this.pauses = [...this.pauses, { ...pause, since: now }];
  }

  lift(target: PauseTarget): void {
    this.pauses = this.pauses.filter((pause) => !isSame(pause, target));
  }

  recall(targets: readonly { readonly program: string; readonly operation: Operation }[], now: number): number {
    const found = [...this.store.lanes.values()].filter((lane) =>
      targets.some(({ program, operation }) => lane.program === program && lane.dueAt === putOffMark(operation)),
    );
    for (const lane of found) {
      lane.dueAt = now;
      this.store.onChange(lane);
    }
    return found.length;
  }
}
