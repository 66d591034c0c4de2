import type { AttemptObservation, DialectFacts, ProofNeeded, ProofShown } from '#domain';
import type { CompiledDialect } from '../dialect/dialect-registry.js';
import { isJsonObject, type ReadBody, readBody } from '../json/read-body.js';
import { messageCharsMax } from '../limits.js';
import type { OperationTarget, PartnerOperation } from '../operations/operation.js';
import type { CallTrace } from './authorized-client.js';
import { mentionsSentValue, type SentValues } from './sent-values.js';

/** What was seen of a call, ready for `classifyOutcome`, and the answer's body, read once. */
export interface ObservedAnswer {
  readonly observation: AttemptObservation;
  /** `null` unless a complete answer was read. */
  readonly body: ReadBody | null;
}

/** How an answer to one call is to be read. */
export interface AnswerReading {
  readonly compiled: CompiledDialect;
  readonly isSuccessStatus: (status: number) => boolean;
  /** What a duplicate refusal would mention; `null` for a call that changes nothing. */
  readonly sentValues: (() => SentValues) | null;
  /** Whether a refusal can mean "this member has no pass". */
  readonly needsPass: boolean;
  /** What a success must show to count, and what an answer shows. */
  readonly proof: {
    readonly needed: ProofNeeded;
    readonly shown: (answer: Readonly<Record<string, unknown>>) => ProofShown;
  };
}

/** A call that changes nothing: no refusal of it is about a duplicate, and whoever reads its answer says what it shows. */
export function plainReading(compiled: CompiledDialect): AnswerReading {
  const proof: AnswerReading['proof'] = { needed: 'object', shown: () => 'none' };
  return { compiled, isSuccessStatus: compiled.isSuccessStatus, sentValues: null, needsPass: false, proof };
}

/** A call that changes something. */
export function attemptReading<Input extends OperationTarget>(
  { isSuccessStatus, sentValues, needsPass, proof }: PartnerOperation<Input, unknown>,
  input: Input,
  compiled: CompiledDialect,
): AnswerReading {
  const { dialect } = compiled;
  return {
    compiled,
    isSuccessStatus: isSuccessStatus(compiled),
    sentValues: () => sentValues(input, dialect),
    needsPass,
    proof: {
      needed: proof.needed(input, dialect),
      shown: (answer) => proof.shown(answer, input, dialect),
    },
  };
}

export function observeAnswer(trace: CallTrace, reading: AnswerReading): ObservedAnswer {
  const { phase, error, status } = trace.result;
  const { dialect } = reading.compiled;
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
      isSuccessStatus: status !== null && reading.isSuccessStatus(status),
      proofNeeded: reading.proof.needed,
      proofShown: isJsonObject(body?.json) ? reading.proof.shown(body.json) : 'none',
      tooManyRequests: dialect.tooManyRequests,
      ...refusalFacts(message, reading),
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
  { compiled, sentValues, needsPass }: AnswerReading,
): Pick<DialectFacts, 'saysDuplicate' | 'saysNoSuchPass'> {
  if (message === null || sentValues === null) return NOTHING_SAID;
  return {
    saysDuplicate: compiled.duplicatePattern.test(message) && mentionsSentValue(message, sentValues()),
    saysNoSuchPass: needsPass && compiled.noSuchPassPattern.test(message),
  };
}
