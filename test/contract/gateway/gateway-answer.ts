import type { AttemptReport, CallEvidence } from '#gateway';
import { valueAt } from '../interpreter/value-at.js';

/** What the port said, in the words that rows are written in. */
export interface GatewayAnswer {
  /** The port says that the call has succeeded. */
  readonly isYes: boolean;
  /** The outcome's kind and code. */
  readonly verdict: string;
  /** The typed value, or `{ message }` of a refusal. */
  readonly body: unknown;
  readonly shapeAlarms: readonly string[];
}

export function answerOf(report: AttemptReport<unknown>): GatewayAnswer {
  const { outcome, value, shapeAlarms } = report;
  switch (outcome.kind) {
    case 'applied':
      return { isYes: true, verdict: 'applied', body: value, shapeAlarms };
    case 'rejected': {
      const verdict = `rejected ${outcome.code}`;
      return { isYes: false, verdict, body: { message: outcome.message }, shapeAlarms };
    }
    case 'not-applied':
    case 'unknown':
      return { isYes: false, verdict: `${outcome.kind} ${outcome.code}`, body: messageIn(report), shapeAlarms };
    default:
      return outcome satisfies never;
  }
}

/** Where the port keeps a refusal's words as evidence only. */
export function messageIn({ response }: Pick<CallEvidence, 'response'>): unknown {
  try {
    return { message: valueAt(JSON.parse(response?.body ?? ''), 'message') };
  } catch {
    return undefined;
  }
}
