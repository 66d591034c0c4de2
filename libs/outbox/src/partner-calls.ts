import type { AttemptReport, CallOptions, CountReport, LookupReport, PassListings, PassOperations } from '#gateway';
import type { PartnerCommand } from '#intents/core';
import { groupOf, refusalFingerprint } from '#intents/core';
import type { WalletPass } from '#contracts';
import type { Clock, Tracer } from '#platform';

import type { DeliveryEffect, DeliveryEvent, PartnerCall } from './engine/messages.js';
import { noRequest, sentTooLate } from './engine/messages.js';
import type { DeliverySettings } from './settings.js';
import { CallSpans } from './tracing.js';

type LookupEffect = Extract<DeliveryEffect, { type: 'Lookup' }>;
type SendEffect = Extract<DeliveryEffect, { type: 'Send' }>;
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

/** The part of the partner's service that delivery uses. */
export type DeliveryPartner = PassOperations & Pick<PassListings, 'countPasses'>;

/** What calls need from outside. */
export interface CallPorts {
  readonly clock: Clock;
  readonly partner: DeliveryPartner;
  /**
   * Whether a pass that the partner shows as this lane's is its member's card: null, or why not, in a sentence. Absent: every one is.
   */
  readonly holdPass?: (call: Pick<PartnerCall, 'laneId' | 'command'>, pass: WalletPass) => Promise<string | null>;
  /** A keyed digest that is equal for refusals with the same meaning. Absent: refusals are not grouped. */
  readonly fingerprint?: (text: string) => string;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
  /** A call has failed by a defect of ours, or one of the database: that one will be repeated. */
  readonly onFailure: (operation: string, error: unknown) => void;
}

/** Whether the gate of a program has closed. */
export type IsClosed = (program: string, now: number) => boolean;

/** Calls the partner for the engine, within its time limits and traced. Never rejects: a defect of ours is an answer, too. */
export class PartnerCalls {
  private readonly spans: CallSpans;

  constructor(
    private readonly ports: CallPorts,
    private readonly settings: Pick<DeliverySettings, 'partnerTimeoutMs'>,
    private readonly isClosed: IsClosed,
  ) {
    this.spans = new CallSpans(ports);
  }

  async lookup(call: LookupEffect): Promise<LookupAnswered> {
    const { laneId, epoch, confirmsAbsence } = call;
    const span = this.spans.lookup(call);
    const report = await this.find(call).catch((error: unknown) => {
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

  /** A pass that is another member's card is not found: nothing of this one is sent to it. */
  private async find(call: LookupEffect): Promise<LookupReport> {
    const report = await this.ports.partner.findPass(call.command, this.options);
    const refusal = report.kind === 'found' ? await this.ports.holdPass?.(call, report.pass) : null;
    if (typeof refusal !== 'string') return report;
    const evidence = { ...report.evidence, note: refusal };
    return { kind: 'failed', stage: 'answer', code: 'shared-pass', retryAfterMs: null, evidence };
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

  private async sendNow(call: SendEffect): Promise<AttemptReport<unknown>> {
    const { command } = call;
    try {
      return this.withFingerprint(command, await this.held(call, await this.ports.partner.send(command, this.options)));
    } catch (error) {
      this.ports.onFailure('send', error);
      return brokenAttempt;
    }
  }

  /** An enrolment that the partner answers with another member's card has led to none. */
  private async held(call: SendEffect, report: AttemptReport<unknown>): Promise<AttemptReport<unknown>> {
    const { outcome, value } = report;
    if (groupOf(call.command.operation) !== 'issue' || outcome.kind !== 'applied' || value === null) return report;
    try {
      const refusal = await this.ports.holdPass?.(call, value as WalletPass);
      if (typeof refusal !== 'string') return report;
      return { ...report, outcome: { kind: 'rejected', code: 'shared-pass', message: refusal } };
    } catch (error) {
      // Whose card it is a lookup will tell.
      this.ports.onFailure('hold pass', error);
      return { ...report, outcome: { kind: 'unknown', code: 'pass-unchecked', retryAfterMs: null } };
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
