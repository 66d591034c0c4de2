import type { PartnerCommand } from '#domain';
import type { DialectBook } from './dialect/dialect-book.js';
import type { Dialect } from './dialect/dialect-schema.js';
import { planIssue } from './operations/issue.js';
import { planReward } from './operations/apply-reward.js';
import { planSchedule } from './operations/schedule-update.js';
import { planTransaction } from './operations/create-transaction.js';
import { planWorkflow } from './operations/run-workflow.js';
import type { RequestEvidence } from './port/call.js';
import { InvalidRequest } from './wallet/invalid-request.js';
import type { PlannedRequest } from './wallet/planned-request.js';

/** What would be sent for a command now. `refused`: no request can be made of it; paths and rules, never a value. */
export type RequestPreview =
  | { readonly kind: 'request'; readonly request: RequestEvidence }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

function planOf(command: PartnerCommand, dialect: Dialect, nowMs: number): PlannedRequest {
  switch (command.operation) {
    case 'issue':
      return planIssue(command, dialect);
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return planWorkflow(command, dialect);
    case 'transaction':
      return planTransaction(command, dialect);
    case 'reward':
      return planReward(command, dialect);
    case 'schedule-update':
      return planSchedule(command, dialect, nowMs);
  }
}

/**
 * The very request that delivery would make of a command, without making it. The token and the base address are left
 * out. Holds personal values.
 */
export function previewRequest(command: PartnerCommand, dialects: DialectBook, nowMs: number): RequestPreview {
  try {
    const { method, path, body } = planOf(command, dialects.of(command).dialect, nowMs);
    return { kind: 'request', request: { method, path, body } };
  } catch (error) {
    if (error instanceof InvalidRequest) return { kind: 'refused', problems: error.texts };
    throw error;
  }
}
