import type { Program } from '#contracts';

import type { DeliveryPorts } from './delivery-ports.js';
import type { DeliveryEffect } from './engine/delivery-effect.js';
import { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryEvent } from './engine/delivery-event.js';
import { EffectRunner } from './effect-runner.js';
import type { DeliverySettings } from './settings.js';
import { assertLeaseOutlivesRequest } from './settings.js';

/** Runs the delivery engine: carries out its effects through the ports and hands back what came of them. */
export class DeliveryLoop {
  private readonly engine: DeliveryEngine;
  private readonly runner: EffectRunner;
  private inbox: DeliveryEvent[] = [];
  private isTurnDue = false;
  private timerAt = Infinity;
  private cancelTimer: () => void = () => undefined;
  private stopWaking: () => void = () => undefined;
  private readonly drainedPromise: Promise<void>;
  private resolveDrained: () => void = () => undefined;
  private readonly background = new Set<Promise<void>>();
  private lastTurn: number;

  constructor(
    private readonly ports: DeliveryPorts,
    settings: DeliverySettings,
  ) {
    assertLeaseOutlivesRequest(settings);
    this.engine = new DeliveryEngine(settings, ports.random);
    this.runner = new EffectRunner(ports, settings, (event) => {
      this.tell(event);
    });
    this.lastTurn = ports.clock.monotonic();
    this.drainedPromise = new Promise((resolve) => (this.resolveDrained = resolve));
  }

  start(programs: Readonly<Record<string, Program>>): void {
    this.stopWaking = this.ports.wake.onNotify(() => {
      this.tell({ type: 'Woken', isWorkLikely: true });
    });
    this.setPrograms(programs);
  }

  setPrograms(programs: Readonly<Record<string, Program>>): void {
    this.engine.setPrograms(programs);
    // Without programs no timer runs: what is new must be looked at now.
    this.tell({ type: 'Woken', isWorkLikely: true });
  }

  /** Stops claiming, finishes what is under way, gives back every lease. Resolves when nothing is held. */
  async drain(): Promise<void> {
    this.stopWaking();
    this.tell({ type: 'DrainRequested' });
    await this.drainedPromise;
    await Promise.all(this.background);
    this.cancelTimer();
  }

  get lanesHeld(): number {
    return this.engine.lanesHeld;
  }

  /** Milliseconds since the loop last turned, for liveness. */
  get idleForMs(): number {
    return this.ports.clock.monotonic() - this.lastTurn;
  }

  private tell(event: DeliveryEvent): void {
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
    this.lastTurn = this.ports.clock.monotonic();
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
        this.inBackground(this.runner.run(effect));
    }
  }

  private inBackground(task: Promise<void>): void {
    this.background.add(task);
    void task.finally(() => this.background.delete(task));
  }

  private setTimer(at: number): void {
    if (this.timerAt === at) return;
    this.cancelTimer();
    this.timerAt = at;
    this.cancelTimer = this.ports.clock.after(at - this.ports.clock.now(), () => {
      this.timerAt = Infinity;
      this.tell({ type: 'Woken', isWorkLikely: false });
    });
  }
}
