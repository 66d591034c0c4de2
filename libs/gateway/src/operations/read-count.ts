import { walletPageSchema } from '#contracts';
import { isJsonObject } from '../json/read-body.js';
import type { CountReport } from '../port/pass-listing.js';
import { answerFailure, callFailure } from '../wallet/call-failure.js';
import type { Exchange } from '../wallet/caller.js';
import { observeAnswer, plainReading } from '../wallet/observe-answer.js';
import { readShape } from '../wallet/read-shape.js';

/** The count that a listing was answered with (partner-api.md 4.5); rows need not come with it. */
export function readCount({ trace, compiled, evidence }: Exchange): CountReport {
  const observed = observeAnswer(trace, plainReading(compiled));
  const failure = callFailure(observed);
  if (failure !== null) return { kind: 'failed', ...failure, evidence };
  const json = observed.body?.json;
  const { value, alarms } = readShape(walletPageSchema, isJsonObject(json) ? json : {});
  const { totalCount, data = [] } = value;
  if (totalCount === undefined) return { kind: 'failed', ...answerFailure('no-count'), evidence };
  // Rows that are not counted would make an absence of a presence.
  if (totalCount < data.length) return { kind: 'failed', ...answerFailure('count-disagrees'), evidence };
  return { kind: 'counted', totalCount, shapeAlarms: alarms, evidence };
}
