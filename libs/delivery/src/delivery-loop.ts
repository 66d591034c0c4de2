import type { Program } from '#contracts';
import { claimLanes, recordLateOutcomes, recordSteps, releaseLanes } from '#intents';

import { brokenAttempt, brokenLookup } from './broken-call.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { DeliveryEffect } from './engine/delivery-effect.js';
import { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryEvent } from './engine/delivery-event.js';
import { sendCommand } from './send-command.js';
import type { DeliverySettings } from './settings.js';
import { assertLeaseOutlivesRequest } from './settings.js';

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;

/** Repeats of a late outcome's recording; its lane is somebody else's by now, so it must not be tried for ever. */
const lateOutcomeAttemptsMax = 20;
const lateOutcomeRetryMs = 500;

/** Runs the delivery engine: carries out its effects through the ports and hands back what came of them. */
export class DeliveryLoop {
  private readonly engine: DeliveryEngine;
  private readonly owner: string;
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
    private readonly settings: DeliverySettings,
  ) {
    assertLeaseOutlivesRequest(settings);
    this.engine = new DeliveryEngine(settings, ports.random);
    this.owner = ports.random.uuid();
    this.lastTurn = ports.clock.monotonic();
    this.drainedPromise = new Promise((resolve) => (this.resolveDrained = resolve));
  }

  start(programs: Readonly<Record<string, Program>>): void {
    this.setPrograms(programs);
    this.stopWaking = this.ports.wake.onNotify(() => {
      this.tell({ type: 'Woken', isWorkLikely: true });
    });
    this.tell({ type: 'Woken', isWorkLikely: true });
  }

  setPrograms(programs: Readonly<Record<string, Program>>): void {
    this.engine.setPrograms(programs);
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
      case 'Claim':
        void this.claim(effect);
        return;
      case 'Flush':
        void this.flush(effect);
        return;
      case 'Lookup':
        void this.lookup(effect);
        return;
      case 'Send':
        void this.send(effect);
        return;
      case 'Release':
        this.inBackground(this.release(effect));
        return;
      case 'RecordLate':
        this.inBackground(this.recordLate(effect));
        return;
      case 'Observe':
        this.ports.observe(effect.observation);
        return;
      case 'SetTimer':
        this.setTimer(effect.at);
        return;
      case 'Drained':
        this.resolveDrained();
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

  private async claim({ program, limit, leaseUntil }: EffectOf<'Claim'>): Promise<void> {
    const { database, clock, keys } = this.ports;
    try {
      const request = { program, limit, leaseUntil, now: clock.now(), owner: this.owner, floor: null };
      const lanes = await claimLanes(database, request, keys);
      this.tell({ type: 'Claimed', program, asked: limit, lanes });
    } catch (error) {
      this.ports.onTrouble('claim', error);
      this.tell({ type: 'ClaimFailed', program });
    }
  }

  private async flush({ flushId, steps, isRetry }: EffectOf<'Flush'>): Promise<void> {
    const { database, clock, keys } = this.ports;
    try {
      const results = await recordSteps(database, { steps, now: clock.now(), isRetry }, keys);
      this.tell({ type: 'Flushed', flushId, results });
    } catch (error) {
      this.ports.onTrouble('record steps', error);
      this.tell({ type: 'FlushFailed', flushId });
    }
  }

  private async lookup(call: EffectOf<'Lookup'>): Promise<void> {
    const { program, laneId, epoch, command } = call;
    const options = { timeoutMs: this.settings.partnerTimeoutMs };
    const report = await this.ports
      .partner(program)
      .findPass(command, options)
      .catch((error: unknown) => {
        this.ports.onTrouble('lookup', error);
        return brokenLookup;
      });
    this.tell({ type: 'LookupAnswered', laneId, epoch, report });
  }

  private async send(call: EffectOf<'Send'>): Promise<void> {
    const { program, laneId, epoch, command } = call;
    const options = { timeoutMs: this.settings.partnerTimeoutMs };
    const report = await sendCommand(this.ports.partner(program), command, options).catch((error: unknown) => {
      this.ports.onTrouble('send', error);
      return brokenAttempt;
    });
    this.tell({ type: 'AttemptAnswered', laneId, epoch, report });
  }

  private async release({ lanes }: EffectOf<'Release'>): Promise<void> {
    const { database, clock } = this.ports;
    try {
      await releaseLanes(database, { lanes, owner: this.owner, now: clock.now() });
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
}
