import type { PartnerCommand } from '#intents/core';
import { refusalFingerprint } from '#intents/core';
import type { AttemptReport, CallOptions, CountReport, LookupReport } from '#gateway';
import {
  claimLanes,
  leaveReplica,
  nextDueAt,
  recordLateOutcomes,
  recordSteps,
  releaseLanes,
  recallLane,
  reportReplica,
  resumeLanes,
  PauseRepository,
} from '#intents';
import { DatabaseError } from '#platform';

import { ClaimFloors } from './claim-floors.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { DeliveryEffect, DeliveryEvent } from './engine/messages.js';
import { noRequest, sentTooLate } from './engine/messages.js';
import type { DeliverySettings } from './settings.js';
import { CallSpans } from './tracing.js';

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;

/** Effects that reach outside the process. */
type OutsideEffect = Exclude<DeliveryEffect, { type: 'Observe' | 'SetTimer' | 'Drained' }>;

type SendEffect = EffectOf<'Send'>;
type LookupEffect = EffectOf<'Lookup'>;
type AttemptAnswered = Extract<DeliveryEvent, { type: 'AttemptAnswered' }>;
type LookupAnswered = Extract<DeliveryEvent, { type: 'LookupAnswered' }>;

/** A defect of ours during a send: nothing is known about what the partner saw. */
const brokenAttempt: AttemptReport<unknown> = {
  outcome: { kind: 'unknown', code: 'gateway-defect', retryAfterMs: null },
  stage: 'exchange',
  phase: 'sent',
  durationMs: 0,
  request: noRequest,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** A defect of ours during a lookup: it showed nothing. */
const brokenLookup: Extract<LookupReport, { kind: 'failed' }> = {
  kind: 'failed',
  stage: 'exchange',
  code: 'gateway-defect',
  retryAfterMs: null,
  evidence: { request: noRequest, response: null, durationMs: 0 },
};

/** Whether the gate of a program has closed. */
type IsClosed = (program: string, now: number) => boolean;

/** Calls the partner for the engine, within its time limits and traced. Never rejects: a defect of ours is an answer, too. */
class PartnerCalls {
  private readonly spans: CallSpans;

  constructor(
    private readonly ports: DeliveryPorts,
    private readonly settings: Pick<DeliverySettings, 'partnerTimeoutMs'>,
    private readonly isClosed: IsClosed,
  ) {
    this.spans = new CallSpans(ports);
  }

  async lookup(call: LookupEffect): Promise<LookupAnswered> {
    const { laneId, epoch, command, confirmsAbsence } = call;
    const span = this.spans.lookup(call);
    const report = await this.ports.partner.findPass(command, this.options).catch((error: unknown) => {
      this.ports.onFailure('lookup', error);
      return brokenLookup;
    });
    this.spans.lookedUp(span, report);
    const counted = confirmsAbsence && report.kind === 'absent' ? await this.confirm(call, report) : null;
    // The look has failed with its second half: the gate must hear of an outage or a cooldown that was asked for there, too.
    const answer =
      counted?.kind === 'failed'
        ? { report: counted, listed: null }
        : { report, listed: counted === null ? null : counted.totalCount };
    return { type: 'LookupAnswered', laneId, epoch, ...answer };
  }

  async send(call: SendEffect): Promise<AttemptAnswered> {
    const { laneId, epoch, sendBy } = call;
    const span = this.spans.attempt(call);
    // Looked at last of all: between the commit and this line the process may have stood still.
    const report = this.ports.clock.now() > sendBy ? sentTooLate : await this.sendNow(call);
    this.spans.attempted(span, report);
    const { traceId } = span;
    return { type: 'AttemptAnswered', laneId, epoch, report, ...(traceId === null ? {} : { traceId }) };
  }

  private async sendNow({ command }: SendEffect): Promise<AttemptReport<unknown>> {
    try {
      return this.withFingerprint(command, await this.ports.partner.send(command, this.options));
    } catch (error) {
      this.ports.onFailure('send', error);
      return brokenAttempt;
    }
  }

  /** The second half of the proof that a member has no pass; not made where a cooldown began during the first. */
  private async confirm({ program, command }: LookupEffect, { evidence }: LookupReport): Promise<CountReport> {
    if (!this.isClosed(program, this.ports.clock.now())) return this.countPasses(command);
    return { kind: 'failed', stage: 'request', code: 'gate-closed', retryAfterMs: null, evidence };
  }

  private countPasses({ brandId, programId, uniqueId }: PartnerCommand): Promise<CountReport> {
    return this.ports.partner.countPasses({ brandId, programId, uniqueId }, this.options).catch((error: unknown) => {
      this.ports.onFailure('count passes', error);
      return brokenLookup;
    });
  }

  private get options(): CallOptions {
    return { timeoutMs: this.settings.partnerTimeoutMs };
  }

  private withFingerprint(command: PartnerCommand, report: AttemptReport<unknown>): AttemptReport<unknown> {
    const { fingerprint } = this.ports;
    const { outcome } = report;
    if (fingerprint === undefined || outcome.kind !== 'rejected') return report;
    const text = refusalFingerprint(outcome.code, outcome.message, command);
    return { ...report, outcome: { ...outcome, fingerprint: fingerprint(text) } };
  }
}

/**
 * Repeats of a late outcome's recording: for a minute, in which a database comes back or another takes its place. Another
 * process holds its lane by now, so it must not be tried for ever.
 */
const lateOutcomeAttemptsMax = 120;
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
    private readonly engine: { readonly isClosed: IsClosed; readonly dispatch: (event: DeliveryEvent) => void },
  ) {
    this.replicaId = ports.random.uuid();
    this.calls = new PartnerCalls(ports, settings, engine.isClosed);
    this.floors = new ClaimFloors(ports.clock);
  }

  async run(effect: OutsideEffect): Promise<void> {
    switch (effect.type) {
      case 'Claim':
        return this.claim(effect);
      case 'Flush':
        return this.flush(effect);
      case 'Lookup':
        this.engine.dispatch(await this.calls.lookup(effect));
        return;
      case 'Send':
        this.engine.dispatch(await this.calls.send(effect));
        return;
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

  /** Spares the other replicas the wait until this one counts as gone. */
  async leave(): Promise<void> {
    try {
      await leaveReplica(this.ports.database, this.replicaId);
    } catch (error) {
      this.ports.onFailure('leave', error);
    }
  }

  private async claim({ program, limit, leaseUntil, namesPasses, looksFirst }: EffectOf<'Claim'>): Promise<void> {
    const { database, keys } = this.ports;
    try {
      const range = this.floors.next(program);
      const { now, floor } = range;
      const lookedUntil = looksFirst ? await nextDueAt(database, { program, floor }) : now;
      if (lookedUntil > now) {
        this.floors.claimed(program, range, null);
        this.nothingDue(program, limit, lookedUntil);
        return;
      }
      const request = { program, limit, leaseUntil, now, owner: this.replicaId, floor, namesPasses };
      const { lanes, unreadable, firstDueAt } = await claimLanes(database, request, keys);
      this.floors.claimed(program, range, firstDueAt);
      for (const { laneId, error } of unreadable) this.ports.onFailure(`open lane ${laneId}`, error);
      if (lanes.length > 0 || !this.ports.wake.hearsOthers) {
        this.engine.dispatch({ type: 'Claimed', program, asked: limit, lanes });
      } else this.nothingDue(program, limit, await nextDueAt(database, { program, floor }));
    } catch (error) {
      this.ports.onFailure('claim', error);
      this.engine.dispatch({ type: 'ClaimFailed', program });
    }
  }

  /** @param until nothing comes due before; that holds as long as one hears of what others record */
  private nothingDue(program: string, asked: number, until: number): void {
    const quiet = this.ports.wake.hearsOthers ? { quietUntil: until } : {};
    this.engine.dispatch({ type: 'Claimed', program, asked, lanes: [], ...quiet });
  }

  private async flush({ flushId, steps, isRetry }: EffectOf<'Flush'>): Promise<void> {
    const { database, clock, keys, macKey } = this.ports;
    try {
      const results = await recordSteps(database, { steps, now: clock.now(), isRetry }, { members: keys, mac: macKey });
      this.engine.dispatch({ type: 'Flushed', flushId, results });
    } catch (error) {
      this.ports.onFailure('record steps', error);
      const isAway = error instanceof DatabaseError && error.kind !== 'failed';
      this.engine.dispatch({ type: 'FlushFailed', flushId, isAway });
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
        this.engine.dispatch({ type: 'Woken', isWorkLikely: true });
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
      const { nextDue, ...state } = await reportReplica(database, { replicaId, ...report }, now, ranges);
      for (const { program, ...range } of ranges) {
        if ((nextDue.get(program) ?? 0) > now) this.floors.claimed(program, range, null);
      }
      const quiet = wake.hearsOthers ? { quietUntil: nextDue } : {};
      this.engine.dispatch({ type: 'Coordinated', replicaId, at, state, ...quiet });
    } catch (error) {
      this.ports.onFailure('report to the other replicas', error);
      this.engine.dispatch({ type: 'CoordinationFailed' });
    }
  }

  private async setPause({ program, operation, factor, reason }: EffectOf<'SetPause'>): Promise<void> {
    const { database, clock, observe } = this.ports;
    const pause = { program, operation, factor, by: this.ownName, reason, automatic: true };
    try {
      const { kind } = await new PauseRepository(database).set({ ...pause, now: clock.now() });
      if (kind === 'paused') observe({ kind: 'auto-paused', program, operation, factor, reason });
      this.engine.dispatch({ type: 'PauseSet', program, operation, factor, isSet: true });
    } catch (error) {
      this.ports.onFailure('set an automatic pause', error);
      this.engine.dispatch({ type: 'PauseSet', program, operation, factor, isSet: false });
    }
  }

  private async liftHold({ program, operation, factor }: EffectOf<'LiftHold'>): Promise<void> {
    const { database, clock, observe } = this.ports;
    const reason = 'the partner serves it again';
    const lifting = { program, operation, factor, by: this.ownName, reason, onlyAutomatic: true };
    try {
      const lifted = await new PauseRepository(database).lift({ ...lifting, now: clock.now() });
      if (lifted !== null) observe({ kind: 'auto-resumed', program, operation, factor, reason });
      this.engine.dispatch({ type: 'HoldLifted', program, operation, factor });
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
    try {
      const count = await resumeLanes(this.ports.database, { targets, now: this.ports.clock.now() });
      this.engine.dispatch({ type: 'Resumed', count });
    } catch (error) {
      // Harmless: the next sweep finds them.
      this.ports.onFailure('resume lanes', error);
      this.engine.dispatch({ type: 'Resumed', count: 0 });
    }
  }

  private async recall({ targets }: EffectOf<'Recall'>): Promise<void> {
    try {
      const count = await recallLane(this.ports.database, { targets, now: this.ports.clock.now() });
      this.engine.dispatch({ type: 'Recalled', count });
    } catch (error) {
      // Harmless: another one is recalled soon.
      this.ports.onFailure('recall lanes', error);
    }
  }
}
