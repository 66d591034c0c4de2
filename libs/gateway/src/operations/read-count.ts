import type { CountReport } from '../port/pass-listing.js';
import { answerFailure, callFailure } from '../wallet/call-failure.js';
import type { Exchange } from '../wallet/caller.js';
import { observeAnswer, plainReading } from '../wallet/observe-answer.js';
import { readPage } from './list-passes.js';

/** The count that a listing was answered with (partner-api.md 4.5). */
export function readCount({ trace, compiled, evidence }: Exchange): CountReport {
  const observed = observeAnswer(trace, plainReading(compiled));
  const failure = callFailure(observed);
  if (failure !== null) return { kind: 'failed', ...failure, evidence };
  const page = readPage(observed.body?.json, compiled.dialect);
  if (typeof page?.totalCount !== 'number') return { kind: 'failed', ...answerFailure('no-count'), evidence };
  const { totalCount, rows, alarms } = page;
  // Rows that are not counted would make an absence of a presence.
  if (totalCount < rows.length) return { kind: 'failed', ...answerFailure('count-disagrees'), evidence };
  return { kind: 'counted', totalCount, shapeAlarms: alarms, evidence };
}
