import { type AttemptOutcome, classifyOutcome, type PartnerCommand } from '#intents/core';
import { scheduleUpdate } from '#members';
import { attemptReading, observeAnswer } from './call/observe-answer.js';
import { InvalidRequest, type PlannedRequest } from './call/planned-request.js';
import type { DialectRegistry } from './dialect/dialect-registry.js';
import type { Dialect } from './dialect/dialect-schema.js';
import {
  planBrandAttribute,
  planBrandAttributeUpdate,
  planBrandUpdate,
  planTemplate,
  planTransactionAttribute,
  planTransactionTypeUpdate,
} from './operations/administration.js';
import { callOf } from './operations/wallet-partner.js';
import type { AdministrationCall } from './port/administration.js';
import type { RequestEvidence, ResponseEvidence } from './port/call.js';
import type { ScheduledUpdate } from './port/pass-operations.js';

/** What would be sent for a command now. `refused`: no request can be made of it; paths and rules, never a value. */
export type RequestPreview =
  | { readonly kind: 'request'; readonly request: RequestEvidence }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/**
 * The very request that delivery would make of a command, without making it. The token and the base address are left
 * out. Holds personal values.
 */
export function previewRequest(command: PartnerCommand, dialects: DialectRegistry, nowMs: number): RequestPreview {
  return previewPlan(() => callOf(command).plan(command, dialects.of(command).dialect, nowMs));
}

/** The very request that a scheduled update would make, without making it. */
export function previewSchedule(update: ScheduledUpdate, dialects: DialectRegistry, nowMs: number): RequestPreview {
  return previewPlan(() => scheduleUpdate.plan(update, dialects.of(update).dialect, nowMs));
}

/** The very request that a call would make, without making it. The token and the base address are left out. */
export function previewAdministration(call: AdministrationCall, dialects: DialectRegistry): RequestPreview {
  return previewPlan(() => planAdministration(call, dialects.of(call.input).dialect));
}

function planAdministration({ call, input }: AdministrationCall, dialect: Dialect): PlannedRequest {
  switch (call) {
    case 'updateTransactionType':
      return planTransactionTypeUpdate(input);
    case 'createTransactionAttribute':
      return planTransactionAttribute(input, dialect);
    case 'createBrandAttribute':
      return planBrandAttribute(input, dialect);
    case 'updateBrandAttribute':
      return planBrandAttributeUpdate(input, dialect);
    case 'createTemplate':
      return planTemplate(input);
    case 'updateBrand':
      return planBrandUpdate(input);
  }
}

/** What a plan comes to. @param plan may throw InvalidRequest */
function previewPlan(plan: () => PlannedRequest): RequestPreview {
  try {
    const { method, path, body } = plan();
    return { kind: 'request', request: { method, path, body } };
  } catch (error) {
    if (error instanceof InvalidRequest) return { kind: 'refused', problems: error.texts };
    throw error;
  }
}

/**
 * What an answer that was kept means by the dialect of now: as if it had just come. No call is made. An answer that was
 * too long to be kept whole proves nothing.
 */
export function rereadAnswer(
  command: PartnerCommand,
  kept: ResponseEvidence,
  dialects: DialectRegistry,
): AttemptOutcome {
  const { status, headers, body, truncated } = kept;
  const result = {
    phase: truncated ? 'sent' : 'answered',
    error: truncated ? 'truncated' : null,
    status,
    // It is kept as text: whatever charset it came in is of no matter any more.
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(body, 'utf8'),
  } as const;
  const trace = { path: '', result, seen: result, retryAfterMs: null, durationMs: 0 };
  return classifyOutcome(
    observeAnswer(trace, attemptReading(callOf(command), command, dialects.of(command))).observation,
  );
}
