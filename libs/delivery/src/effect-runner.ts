import {
  claimLanes,
  leaveReplica,
  resumeLanes,
  recordLateOutcomes,
  recordSteps,
  releaseLanes,
  reportReplica,
  setPause,
} from '#intents';
import { DatabaseError } from '#platform';

import { ClaimFloors } from './claim-floors.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { DeliveryEffect, DeliveryEvent } from './engine/messages.js';
import { PartnerCalls } from './partner-calls.js';
import type { DeliverySettings } from './settings.js';

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;

/** Effects that reach outside the process. */
type OutsideEffect = Exclude<DeliveryEffect, { type: 'Observe' | 'SetTimer' | 'Drained' }>;

/** Repeats of a late outcome's recording; its lane is somebody else's by now, so it must not be tried for ever. */
const lateOutcomeAttemptsMax = 20;
const lateOutcomeRetryMs = 500;

/** Performs effects through the ports and dispatches their results as events. Never rejects. */
export class EffectRunner {
  /** This process among all that lease lanes and share limits. */
  private readonly replicaId: string;
  private readonly calls: PartnerCalls;
  private readonly floors: ClaimFloors;

  constructor(
    private readonly ports: DeliveryPorts,
    settings: DeliverySettings,
    private readonly dispatch: (event: DeliveryEvent) => void,
  ) {
    this.replicaId = ports.random.uuid();
    this.calls = new PartnerCalls(ports, settings);
    this.floors = new ClaimFloors(ports.clock);
  }

  async run(effect: OutsideEffect): Promise<void> {
    switch (effect.type) {
      case 'Claim':
        return this.claim(effect);
      case 'Flush':
        return this.flush(effect);
      case 'Lookup':
        this.dispatch(await this.calls.lookup(effect));
        return;
      case 'Send':
        this.dispatch(await this.calls.send(effect));
        return;
      case 'Release':
        return this.release(effect);
      case 'RecordLate':
        return this.recordLate(effect);
      case 'Coordinate':
        return this.coordinate(effect);
      case 'SetPause':
        return this.setPause(effect);
      case 'Resume':
        return this.resume(effect);
    }
  }

  /** Spares the other replicas the wait until this one counts as gone. */
  async leave(): Promise<void> {
    try {
      await leaveReplica(this.ports.database, this.replicaId);
    } catch (error) {
      this.ports.onTrouble('leave', error);
    }
  }

  private async claim({ program, limit, leaseUntil }: EffectOf<'Claim'>): Promise<void> {
    const { database, keys } = this.ports;
    try {
      const range = this.floors.next(program);
      const { now, floor } = range;
      const request = { program, limit, leaseUntil, now, owner: this.replicaId, floor };
      const { lanes, unreadable, firstDueAt } = await claimLanes(database, request, keys);
      this.floors.claimed(program, range, firstDueAt);
      for (const { laneId, error } of unreadable) this.ports.onTrouble(`open lane ${laneId}`, error);
      this.dispatch({ type: 'Claimed', program, asked: limit, lanes });
    } catch (error) {
      this.ports.onTrouble('claim', error);
      this.dispatch({ type: 'ClaimFailed', program });
    }
  }

  private async flush({ flushId, steps, isRetry }: EffectOf<'Flush'>): Promise<void> {
    const { database, clock, keys } = this.ports;
    try {
      const results = await recordSteps(database, { steps, now: clock.now(), isRetry }, keys);
      this.dispatch({ type: 'Flushed', flushId, results });
    } catch (error) {
      this.ports.onTrouble('record steps', error);
      const isAway = error instanceof DatabaseError && error.kind !== 'failed';
      this.dispatch({ type: 'FlushFailed', flushId, isAway });
    }
  }

  private async release({ lanes }: EffectOf<'Release'>): Promise<void> {
    const { database, clock } = this.ports;
    try {
      await releaseLanes(database, { lanes, owner: this.replicaId, now: clock.now() });
    } catch (error) {
      // Harmless: the leases end by themselves.
      this.ports.onTrouble('release lanes', error);
    }
  }

  private async recordLate({ outcomes }: EffectOf<'RecordLate'>): Promise<void> {
    const { database, clock, keys } = this.ports;
    for (let attempt = 1; attempt <= lateOutcomeAttemptsMax; attempt += 1) {
      try {
        await recordLateOutcomes(database, outcomes, keys);
        return;
      } catch (error) {
        this.ports.onTrouble('record late outcomes', error);
        await clock.sleep(lateOutcomeRetryMs);
      }
    }
  }

  private async coordinate({ report, at }: EffectOf<'Coordinate'>): Promise<void> {
    const { replicaId } = this;
    try {
      const state = await reportReplica(this.ports.database, { replicaId, ...report }, this.ports.clock.now());
      this.dispatch({ type: 'Coordinated', replicaId, at, state });
    } catch (error) {
      this.ports.onTrouble('report to the other replicas', error);
      this.dispatch({ type: 'CoordinationFailed' });
    }
  }

  private async setPause({ program, operation, reason }: EffectOf<'SetPause'>): Promise<void> {
    const { database, clock, observe } = this.ports;
    const pause = { program, operation, by: `replica ${this.replicaId}`, reason, automatic: true };
    try {
      const { kind } = await setPause(database, { ...pause, now: clock.now() });
      if (kind === 'paused') observe({ kind: 'auto-paused', program, operation, reason });
      this.dispatch({ type: 'PauseSet', program, operation, isSet: true });
    } catch (error) {
      this.ports.onTrouble('set an automatic pause', error);
      this.dispatch({ type: 'PauseSet', program, operation, isSet: false });
    }
  }

  private async resume({ targets }: EffectOf<'Resume'>): Promise<void> {
    try {
      const count = await resumeLanes(this.ports.database, { targets, now: this.ports.clock.now() });
      this.dispatch({ type: 'Resumed', count });
    } catch (error) {
      // Harmless: the next sweep finds them.
      this.ports.onTrouble('recall lanes', error);
      this.dispatch({ type: 'Resumed', count: 0 });
    }
  }
}
