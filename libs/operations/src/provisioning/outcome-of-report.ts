import type { AttemptOutcome, ThingAction, ThingKind, ThingState } from '#domain';
import { refusalFingerprint } from '#domain';
import type { AttemptReport } from '#gateway';
import type { ProvisionEvidence, ProvisionOutcome } from '#intents';

import type { ThingToPut } from './administration-call.js';
import { maskedRefusal } from './masked-refusal.js';

/** Where the partner's answer holds the id of what was made. */
const idNames: Readonly<Record<ThingKind, string>> = {
  'brand-attribute': 'brandAttributeId',
  'transaction-type': 'transactionTypeId',
  'transaction-attribute': 'transactionAttributeId',
  template: 'templateId',
};

export interface ReportReading {
  readonly thing: ThingToPut;
  /** Epoch ms. */
  readonly now: number;
  readonly fingerprint: (text: string) => string;
}

/** What a call comes to, as it is kept: what was sent, and of the answer nothing that could be personal. */
export function outcomeOfReport(
  report: AttemptReport<object>,
  { thing, now, fingerprint }: ReportReading,
): ProvisionOutcome {
  const { outcome, value } = report;
  const waitMs = outcome.kind === 'not-applied' ? outcome.retryAfterMs : null;
  return {
    state: stateOf(outcome, thing.action),
    // What is changed keeps the id that it was changed by.
    partnerId: value === null || thing.action === 'update' ? null : idIn(value, idNames[thing.kind]),
    at: now,
    until: waitMs === null ? null : now + waitMs,
    evidence: { ...evidenceOf(report), ...refusalOf(outcome, thing, fingerprint) },
  };
}

/** The path or the caller is refused for good: trying again would not help. A refused token is another matter. */
function isRefusedForAll(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'not-applied' && outcome.systemic && outcome.code !== 'unauthorized';
}

function stateOf(outcome: AttemptOutcome, action: ThingAction): Exclude<ThingState, 'begun'> {
  if (isRefusedForAll(outcome)) return 'refused';
  switch (outcome.kind) {
    case 'applied':
      return action === 'create' ? 'created' : 'updated';
    case 'rejected':
      return 'refused';
    case 'not-applied':
    case 'unknown':
      return outcome.kind;
  }
}

function evidenceOf({
  outcome,
  stage,
  durationMs,
  request,
  response,
  shapeAlarms,
}: AttemptReport<object>): ProvisionEvidence {
  const code = outcome.kind === 'applied' ? {} : { code: outcome.code };
  const alarms = shapeAlarms.length === 0 ? {} : { alarms: shapeAlarms };
  return { ...code, status: response?.status ?? null, stage, durationMs: Math.round(durationMs), ...alarms, request };
}

function refusalOf(
  outcome: AttemptOutcome,
  { content }: ThingToPut,
  fingerprint: ReportReading['fingerprint'],
): ProvisionEvidence {
  if (outcome.kind !== 'rejected') return {};
  const { code, message } = outcome;
  return { message: maskedRefusal(message, content), fingerprint: fingerprint(refusalFingerprint(code, message)) };
}

function idIn(value: object, name: string): string | null {
  const id: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
}
