import type { Program } from '#contracts';

import type { DeliveryPorts } from './delivery-ports.js';
import { deliveryStalls, EffectsUnderWay } from './delivery-stalls.js';
import { EffectRunner } from './effect-runner.js';
import { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryEffect, DeliveryEvent } from './engine/messages.js';
import type { GateState } from './gate/program-gate.js';
import type { DeliverySettings } from './settings.js';
import { assertLeaseOutlivesRequest } from './settings.js';
import { traceObservation } from './tracing.js';

/** Runs the delivery engine: performs its effects through the ports and passes their results back as events. */
export class DeliveryLoop {
  private readonly engine: DeliveryEngine;
  private readonly runner: EffectRunner;
  private inbox: DeliveryEvent[] = [];
  private isTurnDue = false;
  private timerAt = Infinity;
  private cancelTimer: () => void = () => undefined;
  private stopWaking: () => void = () => undefined;
  private stopCoordinating: () => void = () => undefined;
  private readonly drainedPromise: Promise<void>;
  private resolveDrained: () => void = () => undefined;
  private readonly underWay: EffectsUnderWay;

  constructor(
    private readonly ports: DeliveryPorts,
    private readonly settings: DeliverySettings,
  ) {
    assertLeaseOutlivesRequest(settings);
    this.engine = new DeliveryEngine(settings, ports.random, ports.namingOf);
    this.runner = new EffectRunner(ports, settings, {
      isClosed: (program, now) => this.engine.isClosed(program, now),
      dispatch: (event) => {
        this.dispatch(event);
      },
    });
    this.underWay = new EffectsUnderWay(ports.clock);
    this.drainedPromise = new Promise((resolve) => (this.resolveDrained = resolve));
  }

  start(programs: Readonly<Record<string, Program>>): void {
    this.stopWaking = this.ports.wake.onNotify(() => {
      this.dispatch({ type: 'Woken', isWorkLikely: true });
    });
    this.coordinate();
    this.setPrograms(programs);
  }

  setPrograms(programs: Readonly<Record<string, Program>>): void {
    this.engine.setPrograms(programs);
    // Without programs no timer runs, so new programs are looked at now.
    this.dispatch({ type: 'Woken', isWorkLikely: true });
  }

  /** Stops claiming, finishes what is under way, gives back every lease. Resolves when nothing is held. */
  async drain(): Promise<void> {
    this.stopWaking();
    this.dispatch({ type: 'DrainRequested' });
    await this.drainedPromise;
    this.stopCoordinating();
    await Promise.all(this.underWay.all);
    this.cancelTimer();
    await this.runner.leave();
  }

  /** Each program's gate as it is now, for metrics. */
  get gates(): ReadonlyMap<string, GateState> {
    return this.engine.gatesAt(this.ports.clock.now());
  }

  /**
   * For liveness: the parts that make no progress although they could. @param isDatabaseSteady it has answered for a
   * while
   */
  stalls(isDatabaseSteady: boolean): string[] {
    const { underWay: effects, settings } = this;
    return deliveryStalls({ effects, lanesHeld: this.engine.lanesHeld, settings }, isDatabaseSteady);
  }

  /** Reports to the other replicas now and from now on. */
  private coordinate(): void {
    this.dispatch({ type: 'CoordinationDue' });
    this.stopCoordinating = this.ports.clock.after(this.engine.reportsAfterMs, () => {
      this.coordinate();
    });
  }

  private dispatch(event: DeliveryEvent): void {
    this.inbox.push(event);
    if (this.isTurnDue) return;
    this.isTurnDue = true;
    this.ports.clock.soon(() => {
      this.turn();
    });
  }

  /** Handles everything that arrived together, so that its writes share one commit. */
  private turn(): void {
    this.isTurnDue = false;
    const events = this.inbox;
    this.inbox = [];
    const now = this.ports.clock.now();
    for (const event of events.slice(0, -1)) this.engine.absorb(event, now);
    const last = events.at(-1);
    if (last === undefined) return;
    for (const effect of this.engine.step(last, now)) this.perform(effect);
  }

  private perform(effect: DeliveryEffect): void {
    switch (effect.type) {
      case 'Observe':
        this.ports.observe(effect.observation);
        traceObservation(this.ports, effect.observation);
        return;
      case 'SetTimer':
        this.setTimer(effect.at);
        return;
      case 'Drained':
        this.resolveDrained();
        return;
      case 'Claim':
      case 'Flush':
      case 'Lookup':
      case 'Send':
      case 'Release':
      case 'RecordLate':
      case 'Coordinate':
      case 'SetPause':
      case 'LiftHold':
      case 'Resume':
      case 'Recall':
        this.underWay.add(effect.type, this.runner.run(effect));
    }
  }

  private setTimer(at: number): void {
    if (this.timerAt === at) return;
    this.cancelTimer();
    this.timerAt = at;
    this.cancelTimer = this.ports.clock.after(at - this.ports.clock.now(), () => {
      this.timerAt = Infinity;
      this.dispatch({ type: 'Woken', isWorkLikely: false });
    });
  }
}
