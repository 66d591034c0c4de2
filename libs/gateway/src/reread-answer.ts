import { type AttemptOutcome, classifyOutcome, type PartnerCommand } from '#domain';
import type { CompiledDialect, DialectRegistry } from './dialect/dialect-registry.js';
import { applyReward } from './operations/apply-reward.js';
import { createTransaction } from './operations/create-transaction.js';
import { issue } from './operations/issue.js';
import { runWorkflow } from './operations/run-workflow.js';
import { scheduleUpdate } from './operations/schedule-update.js';
import type { ResponseEvidence } from './port/call.js';
import { type AnswerReading, attemptReading, observeAnswer } from './wallet/observe-answer.js';

/**
 * What an answer that was kept means by the dialect of now: as if it had just come. Nobody is called. An answer that was
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
    headers,
    body: Buffer.from(body, 'utf8'),
  } as const;
  const trace = { result, seen: result, retryAfterMs: null, durationMs: 0 };
  return classifyOutcome(observeAnswer(trace, readingOf(command, dialects.of(command))).observation);
}

function readingOf(command: PartnerCommand, compiled: CompiledDialect): AnswerReading {
  switch (command.operation) {
    case 'issue':
      return attemptReading(issue, command, compiled);
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return attemptReading(runWorkflow, command, compiled);
    case 'transaction':
      return attemptReading(createTransaction, command, compiled);
    case 'reward':
      return attemptReading(applyReward, command, compiled);
    case 'schedule-update':
      return attemptReading(scheduleUpdate, command, compiled);
  }
}
