import type { Program } from '#contracts';

import { DeliveryEngine } from '../engine/delivery-engine.js';
import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import { CoordinationHands } from './coordination-hands.js';
import { EffectHands } from './effect-hands.js';
import type { Surroundings, Witness } from './surroundings.js';

/** One process: an engine, its inbox and its timer. Does what `DeliveryLoop` does, in virtual time. */
export class EngineActor {
  readonly engine: DeliveryEngine;
  isAlive = true;
  isDrained = false;
  private readonly hands: EffectHands;
  private readonly coordinationHands: CoordinationHands;
  private inbox: DeliveryEvent[] = [];
  private cancelTimer: () => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly around: Surroundings,
    private readonly witness: Witness,
  ) {
    this.engine = new DeliveryEngine(around.settings, around.chance);
    this.hands = new EffectHands(this, around, witness);
    this.coordinationHands = new CoordinationHands(this, around);
  }

  start(programs: Readonly<Record<string, Program>>): void {
    this.coordinate();
    this.usePrograms(programs);
  }

  /** Takes over the programs, at the start or when the file was read again. */
  usePrograms(programs: Readonly<Record<string, Program>>): void {
    this.engine.setPrograms(programs);
    this.tell({ type: 'Woken', isWorkLikely: true });
  }

  /** Memory is gone; what has left the process takes its effect all the same. */
  die(): void {
    this.isAlive = false;
    this.cancelTimer();
  }

  tell(event: DeliveryEvent): void {
    if (!this.isAlive) return;
    this.inbox.push(event);
    if (this.inbox.length > 1) return;
    this.around.agenda.after(this.standsStillMs(), () => {
      this.turn();
    });
  }

  standsStillMs(): number {
    const { chance, trouble } = this.around;
    if (!chance.happens(trouble.stall)) return chance.unit();
    return chance.happens(0.3) ? chance.between(4_000, 20_000) : chance.between(100, 4_000);
  }

  private turn(): void {
    if (!this.isAlive) return;
    const events = this.inbox;
    this.inbox = [];
    const { now } = this.around.agenda;
    for (const event of events.slice(0, -1)) this.engine.absorb(event, now);
    const last = events.at(-1);
    if (last === undefined) return;
    const effects = this.engine.step(last, now);
    this.witness.turned(this, events, effects);
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: DeliveryEffect): void {
    switch (effect.type) {
      case 'Observe':
        return;
      case 'SetTimer':
        this.setTimer(effect.at);
        return;
      case 'Drained':
        // The process ends: what has left it takes its effect, nothing is answered any more.
        this.isDrained = true;
        this.around.coordination.leave(this.name);
        this.die();
        return;
      case 'Claim':
      case 'Flush':
      case 'Lookup':
      case 'Send':
      case 'Release':
      case 'RecordLate':
        this.hands.run(effect);
        return;
      case 'Coordinate':
      case 'SetPause':
      case 'Resume':
        this.coordinationHands.run(effect);
    }
  }

  private coordinate(): void {
    this.tell({ type: 'CoordinationDue' });
    this.around.agenda.after(this.around.settings.coordinationMs, () => {
      if (this.isAlive) this.coordinate();
    });
  }

  private setTimer(at: number): void {
    const { agenda } = this.around;
    this.cancelTimer();
    this.cancelTimer = agenda.after(at - agenda.now, () => {
      this.tell({ type: 'Woken', isWorkLikely: false });
    });
  }
}
