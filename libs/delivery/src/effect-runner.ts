import type { PartnerCommand } from '#domain';
import { refusalFingerprint } from '#domain';
import type { AttemptReport, CountReport } from '#gateway';
import { claimLanes, recordLateOutcomes, recordSteps, releaseLanes } from '#intents';
import type { Span } from '#platform';
import { DatabaseError } from '#platform';

import { ClaimFloors } from './claim-floors.js';
import { brokenAttempt, brokenLookup, sentTooLate } from './broken-call.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { DeliveryEffect } from './engine/delivery-effect.js';
import type { DeliveryEvent } from './engine/delivery-event.js';
import { sendCommand } from './send-command.js';
import type { DeliverySettings } from './settings.js';
import { CallSpans } from './tracing/call-spans.js';

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;

/** Effects that reach outside the process. */
export type OutsideEffect = EffectOf<'Claim' | 'Flush' | 'Lookup' | 'Send' | 'Release' | 'RecordLate'>;

/** Repeats of a late outcome's recording; its lane is somebody else's by now, so it must not be tried for ever. */
const lateOutcomeAttemptsMax = 20;
const lateOutcomeRetryMs = 500;

/** Carries out effects through the ports; what came of them is told as events. Never rejects. */
export class EffectRunner {
  /** This process among all that lease lanes. */
  readonly owner: string;
  private readonly spans: CallSpans;
  private readonly floors: ClaimFloors;

  constructor(
    private readonly ports: DeliveryPorts,
    private readonly settings: DeliverySettings,
    private readonly tell: (event: DeliveryEvent) => void,
  ) {
    this.owner = ports.random.uuid();
    this.spans = new CallSpans(ports);
    this.floors = new ClaimFloors(ports.clock);
  }

  async run(effect: OutsideEffect): Promise<void> {
    switch (effect.type) {
      case 'Claim':
        return this.claim(effect);
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
    }
  }

  private async claim({ program, limit, leaseUntil }: EffectOf<'Claim'>): Promise<void> {
    const { database, keys } = this.ports;
    try {
      const range = this.floors.next(program);
      const { now, floor } = range;
      const request = { program, limit, leaseUntil, now, owner: this.owner, floor };
      const { lanes, unreadable, firstDueAt } = await claimLanes(database, request, keys);
      this.floors.claimed(program, range, firstDueAt);
      for (const { laneId, error } of unreadable) this.ports.onTrouble(`open lane ${laneId}`, error);
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
      const isAway = error instanceof DatabaseError && error.kind !== 'failed';
      this.tell({ type: 'FlushFailed', flushId, isAway });
    }
  }

  private async lookup(call: EffectOf<'Lookup'>): Promise<void> {
    const { laneId, epoch, command, confirmsAbsence } = call;
    const span = this.spans.lookup(call);
    const options = { timeoutMs: this.settings.partnerTimeoutMs, ...this.spans.headerOf(span) };
    const report = await this.ports.partner.findPass(command, options).catch((error: unknown) => {
      this.ports.onTrouble('lookup', error);
      return brokenLookup;
    });
    this.spans.lookedUp(span, report);
    const counted = confirmsAbsence && report.kind === 'absent' ? await this.countPasses(command) : null;
    // The look has failed with its second half: the gate must hear of an outage or a rest that was asked for there, too.
    const answer =
      counted?.kind === 'failed'
        ? { report: counted, listed: null }
        : { report, listed: counted === null ? null : counted.totalCount };
    this.tell({ type: 'LookupAnswered', laneId, epoch, ...answer });
  }

  /** The second half of the proof that a member has no pass. */
  private countPasses({ brandId, programId, uniqueId }: PartnerCommand): Promise<CountReport> {
    const options = { timeoutMs: this.settings.partnerTimeoutMs };
    return this.ports.partner.countPasses({ brandId, programId, uniqueId }, options).catch((error: unknown) => {
      this.ports.onTrouble('count passes', error);
      return brokenLookup;
    });
  }

  private async send(call: EffectOf<'Send'>): Promise<void> {
    const { laneId, epoch, sendBy } = call;
    const span = this.spans.attempt(call);
    // Looked at last of all: between the commit and this line the process may have stood still.
    const report = this.ports.clock.now() > sendBy ? sentTooLate : await this.sendNow(call, span);
    this.spans.attempted(span, report);
    const { traceId } = span;
    this.tell({ type: 'AttemptAnswered', laneId, epoch, report, ...(traceId === null ? {} : { traceId }) });
  }

  private async sendNow({ command }: EffectOf<'Send'>, span: Span): Promise<AttemptReport<unknown>> {
    const options = { timeoutMs: this.settings.partnerTimeoutMs, ...this.spans.headerOf(span) };
    const report = await sendCommand(this.ports.partner, command, options).catch((error: unknown) => {
      this.ports.onTrouble('send', error);
      return brokenAttempt;
    });
    return this.withFingerprint(report);
  }

  private withFingerprint(report: AttemptReport<unknown>): AttemptReport<unknown> {
    const { fingerprint } = this.ports;
    const { outcome } = report;
    if (fingerprint === undefined || outcome.kind !== 'rejected') return report;
    const text = refusalFingerprint(outcome.code, outcome.message);
    return { ...report, outcome: { ...outcome, fingerprint: fingerprint(text) } };
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
