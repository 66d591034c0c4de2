import { type AttemptObservation, type DialectFacts, needsPass, type PartnerCommand } from '#domain';
import type { CompiledDialect } from '../dialect/compile-dialect.js';
import { isJsonObject, type ReadBody, readBody } from '../json/read-body.js';
import { messageCharsMax } from '../limits.js';
import type { CallTrace } from './authorized-client.js';
import { mentionsSentValue, sentValues } from './sent-values.js';

/** What was seen of a call, ready for `classifyOutcome`, and the answer's body, read once. */
export interface ObservedAnswer {
  readonly observation: AttemptObservation;
  /** `null` unless a complete answer was read. */
  readonly body: ReadBody | null;
}

/** @param command `null` for a lookup: it changes nothing, so no refusal is about a duplicate */
export function observeAnswer(
  trace: CallTrace,
  compiled: CompiledDialect,
  command: PartnerCommand | null,
): ObservedAnswer {
  const { phase, error, status } = trace.result;
  const body = phase === 'answered' ? readBody(trace.result.body) : null;
  const message = body === null ? null : messageOf(body);
  const observation: AttemptObservation = {
    phase,
    error,
    status,
    retryAfterMs: trace.retryAfterMs,
    body: body?.kind ?? 'truncated',
    message,
    facts: {
      isSuccessStatus: status !== null && compiled.isSuccessStatus(status),
      emptySuccess: compiled.dialect.emptySuccess,
      tooManyRequests: compiled.dialect.tooManyRequests,
      ...refusalFacts(message, compiled, command),
    },
  };
  return { observation, body };
}

/** `message` of an error body `{ message: string }`; blank counts as none. */
function messageOf({ json }: ReadBody): string | null {
  if (!isJsonObject(json)) return null;
  const { message } = json;
  return typeof message === 'string' && message.trim() !== '' ? message.slice(0, messageCharsMax) : null;
}

const NOTHING_SAID = { saysDuplicate: false, saysNoSuchPass: false };

function refusalFacts(
  message: string | null,
  compiled: CompiledDialect,
  command: PartnerCommand | null,
): Pick<DialectFacts, 'saysDuplicate' | 'saysNoSuchPass'> {
  if (message === null || command === null) return NOTHING_SAID;
  return {
    saysDuplicate:
      compiled.duplicatePattern.test(message) && mentionsSentValue(message, sentValues(command, compiled.dialect)),
    saysNoSuchPass: needsPass(command.operation) && compiled.noSuchPassPattern.test(message),
  };
}
