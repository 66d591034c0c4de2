import { leaveReplica, recallLanes, reportReplica, setPause } from '#intents';

import type { DeliveryPorts } from './delivery-ports.js';
import type { CoordinationEffect } from './engine/coordination-effect.js';
import type { CoordinationEvent } from './engine/coordination-event.js';

type EffectOf<T extends CoordinationEffect['type']> = Extract<CoordinationEffect, { type: T }>;

/** Carries out what keeps the replicas in step; what came of it is told as events. Never rejects. */
export class CoordinationRunner {
  constructor(
    private readonly ports: DeliveryPorts,
    private readonly replicaId: string,
    private readonly tell: (event: CoordinationEvent) => void,
  ) {}

  async run(effect: CoordinationEffect): Promise<void> {
    switch (effect.type) {
      case 'Coordinate':
        return this.report(effect);
      case 'SetPause':
        return this.setPause(effect);
      case 'Recall':
        return this.recall(effect);
    }
  }

  /** The others need not wait until we are taken for gone. */
  async leave(): Promise<void> {
    try {
      await leaveReplica(this.ports.database, this.replicaId);
    } catch (error) {
      this.ports.onTrouble('leave', error);
    }
  }

  private async report({ report, at }: EffectOf<'Coordinate'>): Promise<void> {
    const { replicaId } = this;
    try {
      const state = await reportReplica(this.ports.database, { replicaId, ...report }, this.ports.clock.now());
      this.tell({ type: 'Coordinated', replicaId, at, state });
    } catch (error) {
      this.ports.onTrouble('report to the other replicas', error);
      this.tell({ type: 'CoordinationFailed' });
    }
  }

  private async setPause({ program, operation, reason }: EffectOf<'SetPause'>): Promise<void> {
    const { database, clock, observe } = this.ports;
    const pause = { program, operation, by: `replica ${this.replicaId}`, reason, automatic: true };
    try {
      const { kind } = await setPause(database, { ...pause, now: clock.now() });
      if (kind === 'paused') observe({ kind: 'auto-paused', program, operation, reason });
      this.tell({ type: 'PauseSet', program, operation, isSet: true });
    } catch (error) {
      this.ports.onTrouble('set an automatic pause', error);
      this.tell({ type: 'PauseSet', program, operation, isSet: false });
    }
  }

  private async recall({ targets }: EffectOf<'Recall'>): Promise<void> {
    try {
      const count = await recallLanes(this.ports.database, { targets, now: this.ports.clock.now() });
      this.tell({ type: 'Recalled', count });
    } catch (error) {
      // Harmless: the next sweep finds them.
      this.ports.onTrouble('recall lanes', error);
      this.tell({ type: 'Recalled', count: 0 });
    }
  }
}
