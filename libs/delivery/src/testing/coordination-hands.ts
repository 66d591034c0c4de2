import type { CoordinationEffect } from '../engine/messages.js';
import type { HandsOf } from './effect-hands.js';
import type { Surroundings } from './surroundings.js';

type EffectOf<T extends CoordinationEffect['type']> = Extract<CoordinationEffect, { type: T }>;

/** Carries out what keeps the replicas in step in virtual time, as `CoordinationRunner` does. */
export class CoordinationHands {
  constructor(
    private readonly actor: HandsOf,
    private readonly around: Surroundings,
  ) {}

  run(effect: CoordinationEffect): void {
    switch (effect.type) {
      case 'Coordinate':
        this.report(effect);
        return;
      case 'SetPause':
        this.setPause(effect);
        return;
      case 'Resume':
        this.recall(effect);
    }
  }

  private report({ report, at }: EffectOf<'Coordinate'>): void {
    const { agenda, coordination, database } = this.around;
    const replicaId = this.actor.name;
    const { now } = agenda;
    database.call(
      () => coordination.report({ replicaId, ...report }, now),
      (state) => {
        if (state === null) this.actor.tell({ type: 'CoordinationFailed' });
        else this.actor.tell({ type: 'Coordinated', replicaId, at, state });
      },
    );
  }

  private setPause({ program, operation }: EffectOf<'SetPause'>): void {
    const { agenda, coordination, database } = this.around;
    const { now } = agenda;
    const work = (): true => {
      coordination.set({ program, operation, automatic: true }, now);
      return true;
    };
    database.call(work, (done) => {
      this.actor.tell({ type: 'PauseSet', program, operation, isSet: done !== null });
    });
  }

  private recall({ targets }: EffectOf<'Resume'>): void {
    const { agenda, coordination, database } = this.around;
    const { now } = agenda;
    database.call(
      () => coordination.recall(targets, now),
      (count) => {
        this.actor.tell({ type: 'Resumed', count: count ?? 0 });
      },
    );
  }
}
