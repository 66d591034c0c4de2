import type { Program } from '#contracts';
import type { EventPlanner, PassNaming } from '#intents/core';
import type { ClaimedLane, HandOver, HandOverOffer, MemberKeys, RecordedLanes } from '#intents';
import {
  claimLanes,
  findBegun,
  holdPass as holdPassOf,
  leaveReplica,
  nextDueAt,
  openRecorded,
  PauseRepository,
  recallHeld,
  recallLane,
  recordLateOutcomes,
  recordSteps,
  releaseHeld,
  releaseHeldMax,
  releaseLanes,
  reportReplica,
  resumeLanes,
  resumeLanesMax,
} from '#intents';
import type { Database, Random, Wake } from '#platform';
import { DatabaseError } from '#platform';

import { ClaimFloors } from './claim-floors.js';
import { ClaimTurns } from './claim-turns.js';
import { deliveryStalls, EffectsUnderWay } from './delivery-stalls.js';
import { DeliveryEngine } from './engine/delivery-engine.js';
import type { DeliveryEffect, DeliveryEvent } from './engine/messages.js';
import type { Observation } from './engine/observation.js';
import type { GateState } from './gate/program-gate.js';
import type { CallPorts } from './partner-calls.js';
import { PartnerCalls } from './partner-calls.js';
import type { DeliverySettings } from './settings.js';
import { assertLeaseOutlivesRequest } from './settings.js';
import { traceObservation } from './tracing.js';

/** Everything the delivery loop needs from outside. A simulation gives its own. */
export interface DeliveryPorts extends CallPorts {
  readonly random: Random;
  readonly database: Database;
  readonly wake: Wake;
  readonly keys: MemberKeys;
  /** What calls about a program's passes name them by; absent: `unique_id`. */
  readonly namingOf?: (program: Program) => PassNaming;
  /** Plans by the programs file in force what has not left yet; absent: all is sent as it was recorded. */
  readonly planner?: () => EventPlanner;
  /** The installation's key for digests. */
  readonly macKey: Uint8Array;
  /** Called for each recorded attempt; must not throw. */
  readonly observe: (observation: Observation) => void;
}

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;

/**
 * Repeats of a late outcome's recording: for a minute, in which a database comes back or another takes its place. Another
 * process holds its lane by now, so it must not be tried for ever.
 */
const lateOutcomeAttemptsMax = 120;
const lateOutcomeRetryMs = 500;

/**
 * Runs the delivery engine: performs its effects through the ports and passes their results back as events. It decides
 * nothing: what is claimed, begun and recorded says the engine.
 */
export class DeliveryLoop implements HandOver {
  /** This process among all that lease lanes and share limits. */
  private readonly replicaId: string;
  private readonly calls: PartnerCalls;
  private readonly floors: ClaimFloors;
  private readonly turns = new ClaimTurns();
  private readonly underWay: EffectsUnderWay;
  private inbox: DeliveryEvent[] = [];
  private isTurnDue = false;
  private timerAt = Infinity;
  private cancelTimer: () => void = () => undefined;
  private stopWaking: () => void = () => undefined;
  private stopCoordinating: () => void = () => undefined;
  private readonly drained = Promise.withResolvers<null>();

  constructor(
    private readonly ports: DeliveryPorts,
    private readonly settings: DeliverySettings,
    private readonly engine = new DeliveryEngine(settings, ports.random, ports.namingOf),
  ) {
    assertLeaseOutlivesRequest(settings);
    this.replicaId = ports.random.uuid();
    const { database, macKey } = ports;
    const holdPass: CallPorts['holdPass'] = ({ laneId, command }, pass) =>
      holdPassOf(database, { laneId, place: command, pass }, macKey);
    this.calls = new PartnerCalls({ ...ports, holdPass }, settings, (program, now) => engine.isClosed(program, now));
    this.floors = new ClaimFloors(ports.clock);
    this.underWay = new EffectsUnderWay(ports.clock);
  }

  start(programs: Readonly<Record<string, Program>>): void {
    this.stopWaking = this.ports.wake.onNotify((isDue) => {
      if (isDue) this.dispatch({ type: 'Woken', isWorkLikely: true });
    });
    this.coordinateOften();
    this.setPrograms(programs);
  }

  setPrograms(programs: Readonly<Record<string, Program>>): void {
    this.engine.setPrograms(programs);
    // Without programs no timer runs, so new programs are looked at now.
    this.dispatch({ type: 'Woken', isWorkLikely: true });
  }

  /** For whoever records in this process: what is begun with its commit needs no claim. */
  offer(program: string, lanes: number): HandOverOffer | null {
    const now = this.ports.clock.now();
    const taken = this.engine.takeOver(program, lanes, now);
    if (taken === null) return null;
    const request = { program, now, owner: this.replicaId, namesPasses: false, ...taken, ...this.planning };
    const tookOver = (lanesBegun: readonly ClaimedLane[]): void => {
      this.dispatch({ type: 'TookOver', program, lanes: lanesBegun });
    };
    const failed = (): void => {
      this.dispatch({ type: 'TakeOverFailed', program });
    };
    return {
      request,
      committed: (recorded) => {
        this.underWay.add('Claim', this.open(recorded).then(tookOver, failed));
      },
      refused: () => {
        tookOver([]);
      },
      unanswered: failed,
    };
  }

  /** Stops claiming, finishes what is under way, gives back every lease. Resolves when nothing is held. */
  async drain(): Promise<void> {
    this.stopWaking();
    this.dispatch({ type: 'DrainRequested' });
    await this.drained.promise;
    this.stopCoordinating();
    await Promise.all(this.underWay.all);
    this.cancelTimer();
    await this.leave();
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
  private coordinateOften(): void {
    this.dispatch({ type: 'CoordinationDue' });
    this.stopCoordinating = this.ports.clock.after(this.engine.reportsAfterMs, () => {
      this.coordinateOften();
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
    for (const effect of this.engine.step(last, now)) {
      const task = this.perform(effect);
      if (task !== null) this.underWay.add(effect.type, task);
    }
  }

  /** @returns what is under way outside the process, and never rejects; null: it is done */
  private perform(effect: DeliveryEffect): Promise<void> | null {
    switch (effect.type) {
      case 'Observe':
        this.ports.observe(effect.observation);
        traceObservation(this.ports, effect.observation);
        return null;
      case 'SetTimer':
        this.setTimer(effect.at);
        return null;
      case 'Drained':
        this.drained.resolve(null);
        return null;
      case 'Claim':
        return this.claim(effect);
      case 'FindBegun':
        return this.findBegun(effect);
      case 'Flush':
        return this.flush(effect);
      case 'Lookup':
        return this.lookup(effect);
      case 'Send':
        return this.send(effect);
      case 'Release':
        return this.release(effect);
      case 'RecordLate':
        return this.recordLate(effect);
      case 'Coordinate':
        return this.coordinate(effect);
      case 'SetPause':
        return this.setPause(effect);
      case 'LiftHold':
        return this.liftHold(effect);
      case 'Resume':
        return this.resume(effect);
      case 'Recall':
        return this.recall(effect);
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

  private async claim(effect: EffectOf<'Claim'>): Promise<void> {
    const { program, limit, leaseUntil, begins, namesPasses, looksFirst } = effect;
    const { database, keys } = this.ports;
    try {
      const range = this.floors.next(program);
      const { now, floors } = range;
      const lookedUntil = looksFirst ? await nextDueAt(database, { program, floors }) : now;
      if (lookedUntil > now) {
        this.floors.foundNone(program, range);
        this.nothingDue(program, limit, lookedUntil);
        return;
      }
      const order = this.turns.next(program, limit);
      const request = {
        program,
        limit,
        leaseUntil,
        now,
        owner: this.replicaId,
        floors,
        order,
        begins,
        namesPasses,
        ...this.planning,
      };
      const { lanes, unreadable, taken } = await claimLanes(database, request, keys);
      const firsts = [...taken].map(([priority, { firstDueAt }]) => [priority, firstDueAt] as const);
      this.floors.claimed(program, range, new Map(firsts));
      const counts = [...taken].map(([priority, { lanes: count }]) => [priority, count === 0 ? null : count] as const);
      this.turns.took(program, new Map(counts));
      for (const { laneId, error } of unreadable) this.ports.onFailure(`open lane ${laneId}`, error);
      if (lanes.length > 0 || !this.ports.wake.hearsOthers) {
        this.dispatch({ type: 'Claimed', program, asked: limit, lanes });
      } else this.nothingDue(program, limit, await nextDueAt(database, { program, floors }));
    } catch (error) {
      this.ports.onFailure('claim', error);
      this.dispatch({ type: 'ClaimFailed', program });
    }
  }

  private async findBegun({ program, leaseUntil, namesPasses }: EffectOf<'FindBegun'>): Promise<void> {
    const { database, keys, clock } = this.ports;
    try {
      const owned = { program, leaseUntil, namesPasses, now: clock.now(), owner: this.replicaId, ...this.planning };
      const { lanes, unreadable } = await findBegun(database, owned, keys);
      for (const { laneId, error } of unreadable) this.ports.onFailure(`open lane ${laneId}`, error);
      this.dispatch({ type: 'Claimed', program, asked: Math.max(1, lanes.length), lanes });
    } catch (error) {
      this.ports.onFailure('find what was begun', error);
      this.dispatch({ type: 'ClaimFailed', program });
    }
  }

  private async open(recorded: RecordedLanes): Promise<readonly ClaimedLane[]> {
    try {
      const { lanes, unreadable } = await openRecorded(this.ports.database, recorded, this.ports.keys);
      for (const { laneId, error } of unreadable) this.ports.onFailure(`open lane ${laneId}`, error);
      return lanes;
    } catch (error) {
      this.ports.onFailure('open what was recorded', error);
      throw error;
    }
  }

  private get planning(): { readonly planner?: EventPlanner } {
    const { planner } = this.ports;
    return planner === undefined ? {} : { planner: planner() };
  }

  /** @param until nothing comes due before; that holds as long as one hears of what others record */
  private nothingDue(program: string, asked: number, until: number): void {
    const quiet = this.ports.wake.hearsOthers ? { quietUntil: until } : {};
    this.dispatch({ type: 'Claimed', program, asked, lanes: [], ...quiet });
  }

  private async lookup(call: EffectOf<'Lookup'>): Promise<void> {
    this.dispatch(await this.calls.lookup(call));
  }

  private async send(call: EffectOf<'Send'>): Promise<void> {
    this.dispatch(await this.calls.send(call));
  }

  private async flush({ flushId, steps, isRetry }: EffectOf<'Flush'>): Promise<void> {
    const { database, clock, keys, macKey } = this.ports;
    try {
      const results = await recordSteps(database, { steps, now: clock.now(), isRetry }, { members: keys, mac: macKey });
      this.dispatch({ type: 'Flushed', flushId, results });
    } catch (error) {
      this.ports.onFailure('record steps', error);
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
      this.ports.onFailure('release lanes', error);
    }
  }

  private async recordLate({ outcomes }: EffectOf<'RecordLate'>): Promise<void> {
    const { database, clock, keys, macKey } = this.ports;
    for (let attempt = 1; attempt <= lateOutcomeAttemptsMax; attempt += 1) {
      try {
        await recordLateOutcomes(database, outcomes, { members: keys, mac: macKey });
        // It may end what a lane waited for.
        this.dispatch({ type: 'Woken', isWorkLikely: true });
        return;
      } catch (error) {
        this.ports.onFailure('record late outcomes', error);
        await clock.sleep(lateOutcomeRetryMs);
      }
    }
  }

  private async coordinate({ report, at, looks }: EffectOf<'Coordinate'>): Promise<void> {
    const { replicaId } = this;
    const { clock, database, wake } = this.ports;
    try {
      const ranges = looks.map((program) => ({ program, ...this.floors.next(program) }));
      const now = clock.now();
      const { nextDue, arePausesOver, ...state } = await reportReplica(database, { replicaId, ...report }, now, ranges);
      for (const { program, ...range } of ranges) {
        if ((nextDue.get(program) ?? 0) > now) this.floors.foundNone(program, range);
      }
      const quiet = wake.hearsOthers ? { quietUntil: nextDue } : {};
      this.dispatch({ type: 'Coordinated', replicaId, at, state, ...quiet });
      if (arePausesOver) await this.endOverPauses(now);
    } catch (error) {
      this.ports.onFailure('report to the other replicas', error);
      this.dispatch({ type: 'CoordinationFailed' });
    }
  }

  /** They hold nothing any more, whether or not that is written down: whoever reports next does it again. */
  private async endOverPauses(now: number): Promise<void> {
    try {
      await new PauseRepository(this.ports.database).endOver(now);
    } catch (error) {
      this.ports.onFailure('write down the end of a pause', error);
    }
  }

  private async setPause({ program, operation, factor, reason }: EffectOf<'SetPause'>): Promise<void> {
    const { database, clock, observe } = this.ports;
    const pause = { program, operation, factor, by: this.ownName, reason, automatic: true };
    try {
      const { kind } = await new PauseRepository(database).set({ ...pause, now: clock.now() });
      if (kind === 'paused') observe({ kind: 'auto-paused', program, operation, factor, reason });
      this.dispatch({ type: 'PauseSet', program, operation, factor, isSet: true });
    } catch (error) {
      this.ports.onFailure('set an automatic pause', error);
      this.dispatch({ type: 'PauseSet', program, operation, factor, isSet: false });
    }
  }

  private async liftHold({ program, operation, factor }: EffectOf<'LiftHold'>): Promise<void> {
    const { database, clock, observe } = this.ports;
    const reason = 'the partner serves it again';
    const lifting = { program, operation, factor, by: this.ownName, reason, onlyAutomatic: true };
    try {
      const lifted = await new PauseRepository(database).lift({ ...lifting, now: clock.now() });
      if (lifted !== null) observe({ kind: 'auto-resumed', program, operation, factor, reason });
      this.dispatch({ type: 'HoldLifted', program, operation, factor });
    } catch (error) {
      // The next call that is served ends it.
      this.ports.onFailure('lift an automatic pause', error);
    }
  }

  /** As pauses are set and lifted by. */
  private get ownName(): string {
    return `replica ${this.replicaId}`;
  }

  private async resume({ targets }: EffectOf<'Resume'>): Promise<void> {
    const { database, clock, keys } = this.ports;
    try {
      const resumed = await resumeLanes(database, { targets, now: clock.now() });
      const released = await releaseHeld(database, { targets, now: clock.now() }, keys);
      // The sweep goes on at once where one of the two may have left others.
      const count = released < releaseHeldMax ? resumed + released : resumeLanesMax;
      this.dispatch({ type: 'Resumed', count });
    } catch (error) {
      // Harmless: the next sweep finds them.
      this.ports.onFailure('resume lanes', error);
      this.dispatch({ type: 'Resumed', count: 0 });
    }
  }

  private async recall({ targets }: EffectOf<'Recall'>): Promise<void> {
    const { database, clock, keys } = this.ports;
    try {
      const request = { targets, now: clock.now() };
      const count = (await recallHeld(database, request, keys)) + (await recallLane(database, request));
      this.dispatch({ type: 'Recalled', count });
    } catch (error) {
      // Harmless: another one is recalled soon.
      this.ports.onFailure('recall lanes', error);
    }
  }

  /** Spares the other replicas the wait until this one counts as gone. */
  private async leave(): Promise<void> {
    try {
      await leaveReplica(this.ports.database, this.replicaId);
    } catch (error) {
      this.ports.onFailure('leave', error);
    }
  }
}
