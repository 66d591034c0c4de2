import type { PartnerCommand } from '#domain';
import { refusalFingerprint } from '#domain';
import type { AttemptReport, CallOptions, CountReport, LookupReport, PassOperations } from '#gateway';
import type { Span } from '#platform';

import type { DeliveryPorts } from './delivery-ports.js';
import type { DeliveryEffect, DeliveryEvent } from './engine/messages.js';
import type { DeliverySettings } from './settings.js';
import { CallSpans } from './tracing.js';

type SendEffect = Extract<DeliveryEffect, { type: 'Send' }>;
type LookupEffect = Extract<DeliveryEffect, { type: 'Lookup' }>;
type AttemptAnswered = Extract<DeliveryEvent, { type: 'AttemptAnswered' }>;
type LookupAnswered = Extract<DeliveryEvent, { type: 'LookupAnswered' }>;

const request = { method: '', path: '', body: null };

/** A defect of ours during a send: nothing is known about what the partner saw. */
const brokenAttempt: AttemptReport<unknown> = {
  outcome: { kind: 'unknown', code: 'gateway-defect', retryAfterMs: null },
  stage: 'exchange',
  phase: 'sent',
  durationMs: 0,
  request,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** Begun but, for lack of time under its lease, never handed over: nothing was sent, so nothing can have happened. */
export const sentTooLate: AttemptReport<unknown> = {
  outcome: {
    kind: 'not-applied',
    code: 'send-window-missed',
    answered: false,
    systemic: false,
    retryAfterMs: null,
  },
  stage: 'request',
  phase: 'not-sent',
  durationMs: 0,
  request,
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
  evidence: { request, response: null, durationMs: 0 },
};

/** The one place where a command becomes a call of the partner port. */
export function sendCommand(
  partner: PassOperations,
  command: PartnerCommand,
  options: CallOptions,
): Promise<AttemptReport<unknown>> {
  switch (command.operation) {
    case 'issue':
      return partner.issue(command, options);
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return partner.runWorkflow(command, options);
    case 'transaction':
      return partner.createTransaction(command, options);
    case 'reward':
      return partner.applyReward(command, options);
    case 'schedule-update':
      return partner.scheduleUpdate(command, options);
  }
}

/** Calls the partner for the engine, within its time limits and traced. Never rejects: a defect of ours is an answer, too. */
export class PartnerCalls {
  private readonly spans: CallSpans;

  constructor(
    private readonly ports: DeliveryPorts,
    private readonly settings: Pick<DeliverySettings, 'partnerTimeoutMs'>,
  ) {
    this.spans = new CallSpans(ports);
  }

  async lookup(call: LookupEffect): Promise<LookupAnswered> {
    const { laneId, epoch, command, confirmsAbsence } = call;
    const span = this.spans.lookup(call);
    const report = await this.ports.partner.findPass(command, this.options(span)).catch((error: unknown) => {
      this.ports.onTrouble('lookup', error);
      return brokenLookup;
    });
    this.spans.lookedUp(span, report);
    const counted = confirmsAbsence && report.kind === 'absent' ? await this.countPasses(command) : null;
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
    const report = this.ports.clock.now() > sendBy ? sentTooLate : await this.sendNow(call, span);
    this.spans.attempted(span, report);
    const { traceId } = span;
    return { type: 'AttemptAnswered', laneId, epoch, report, ...(traceId === null ? {} : { traceId }) };
  }

  private async sendNow({ command }: SendEffect, span: Span): Promise<AttemptReport<unknown>> {
    const report = await sendCommand(this.ports.partner, command, this.options(span)).catch((error: unknown) => {
      this.ports.onTrouble('send', error);
      return brokenAttempt;
    });
    return this.withFingerprint(report);
  }

  /** The second half of the proof that a member has no pass. */
  private countPasses({ brandId, programId, uniqueId }: PartnerCommand): Promise<CountReport> {
    const options = { timeoutMs: this.settings.partnerTimeoutMs };
    return this.ports.partner.countPasses({ brandId, programId, uniqueId }, options).catch((error: unknown) => {
      this.ports.onTrouble('count passes', error);
      return brokenLookup;
    });
  }

  private options(span: Span): CallOptions {
    return { timeoutMs: this.settings.partnerTimeoutMs, ...this.spans.headerOf(span) };
  }

  private withFingerprint(report: AttemptReport<unknown>): AttemptReport<unknown> {
    const { fingerprint } = this.ports;
    const { outcome } = report;
    if (fingerprint === undefined || outcome.kind !== 'rejected') return report;
    const text = refusalFingerprint(outcome.code, outcome.message);
    return { ...report, outcome: { ...outcome, fingerprint: fingerprint(text) } };
  }
}
