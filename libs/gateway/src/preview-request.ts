import type { PartnerCommand } from '#domain';
import type { DialectRegistry } from './dialect/dialect-registry.js';
import type { Dialect } from './dialect/dialect-schema.js';
import { planReward } from './operations/apply-reward.js';
import { planTransaction } from './operations/create-transaction.js';
import { planIssue } from './operations/issue.js';
import { planWorkflow } from './operations/run-workflow.js';
import { planSchedule } from './operations/schedule-update.js';
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
export function previewRequest(command: PartnerCommand, dialects: DialectRegistry, nowMs: number): RequestPreview {
  return previewPlan(() => planOf(command, dialects.of(command).dialect, nowMs));
}

/** What a plan comes to. @param plan may throw InvalidRequest */
export function previewPlan(plan: () => PlannedRequest): RequestPreview {
  try {
    const { method, path, body } = plan();
    return { kind: 'request', request: { method, path, body } };
  } catch (error) {
    if (error instanceof InvalidRequest) return { kind: 'refused', problems: error.texts };
    throw error;
  }
}
