import {
  type AttemptObservation,
  classifyOutcome,
  type DialectFacts,
  type ProofNeeded,
  type ProofShown,
} from '#intents/core';
import type { CompiledDialect } from '../dialect/dialect-registry.js';
import { evidenceBodyBytesMax } from '../limits.js';
import type { OperationTarget, PartnerOperation } from './operation.js';
import type { CallFailure, CallStage, RequestEvidence, ResponseEvidence } from '../port/call.js';
import { bodyText, isJsonObject, readBody, type ReadBody } from './answer-body.js';
import type { HttpResult } from './http-exchange.js';
import { keptHeaders } from './kept-headers.js';
import { type Refusal, saysDuplicate, type SentValues } from './duplicate-refusal.js';
import { refusalMessage, saysOwnPath } from './read-refusal.js';

/** What became of one call, the repeat after a 401 included. */
export interface CallTrace {
  /** Path and query below the base address. */
  readonly path: string;
  readonly result: HttpResult;
  /** The last answer that was seen; differs from `result` when after a 401 no token was to be had. */
  readonly seen: HttpResult;
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

/** What was seen of a call, ready for `classifyOutcome`, and the answer's body, read once. */
export interface ObservedAnswer {
  readonly observation: AttemptObservation;
  /** Its words hold the path that was asked for: what was not found is the route, and nothing of a member's. */
  readonly isAboutRoute: boolean;
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

/** A call that changes nothing: no refusal of it is about a duplicate, and its caller decides what the answer shows. */
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
      shown: (answer) => proof.shown(answer, input, compiled),
    },
  };
}

export function observeAnswer(trace: CallTrace, reading: AnswerReading): ObservedAnswer {
  const { phase, error, status } = trace.result;
  const { dialect } = reading.compiled;
  const body = phase === 'answered' ? readBody(trace.result) : null;
  const { message, isAboutRoute } = wordsOf(body, trace, reading.compiled);
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
      refusal: refusalKind(status, reading.compiled, isAboutRoute),
      tooManyRequests: dialect.tooManyRequests,
      isNotAppliedStatus: status !== null && reading.compiled.notAppliedStatuses.has(status),
      ...refusalFacts({ message, body, status }, reading, isAboutRoute),
    },
  };
  return { observation, isAboutRoute, body };
}

function wordsOf(
  body: ReadBody | null,
  { path }: CallTrace,
  compiled: CompiledDialect,
): { readonly message: string | null; readonly isAboutRoute: boolean } {
  const message = body === null ? null : refusalMessage(body, compiled);
  return { message, isAboutRoute: message !== null && saysOwnPath(message, path) };
}

function refusalKind(status: number | null, compiled: CompiledDialect, isAboutRoute: boolean): DialectFacts['refusal'] {
  if (status === null) return 'none';
  if (compiled.configurationStatuses.has(status) || (isAboutRoute && status === 404)) return 'configuration';
  return compiled.contentStatuses.has(status) ? 'content' : 'none';
}

const NOTHING_SAID = { saysDuplicate: false, saysNoSuchPass: false };

function refusalFacts(
  { message, body, status }: { readonly [Part in keyof Refusal]: Refusal[Part] | null },
  { compiled, sentValues, needsPass }: AnswerReading,
  isAboutRoute: boolean,
): Pick<DialectFacts, 'saysDuplicate' | 'saysNoSuchPass'> {
  if (message === null || body === null || sentValues === null) return NOTHING_SAID;
  const refusal: Refusal = { message, body, status };
  return {
    saysDuplicate: saysDuplicate(refusal, sentValues(), compiled),
    saysNoSuchPass: needsPass && !isAboutRoute && compiled.noSuchPassPattern.test(message),
  };
}

/** How far a call came that was planned: the last stage it reached. */
export function callStage({ phase, error, status }: AttemptObservation): CallStage {
  switch (phase) {
    case 'not-sent':
      if (error === 'no-token') return 'token';
      return error === 'unsendable' ? 'request' : 'connection';
    case 'sent':
      return 'exchange';
    case 'answered':
      return status === 401 ? 'token' : 'answer';
    default:
      return phase satisfies never;
  }
}

/** What a call that only reads was refused with; `null` when it succeeded. */
export function callFailure({ observation }: ObservedAnswer): CallFailure | null {
  const outcome = classifyOutcome(observation);
  const stage = callStage(observation);
  switch (outcome.kind) {
    case 'applied':
      return null;
    case 'rejected':
      return { stage, code: outcome.code, retryAfterMs: null };
    case 'not-applied':
    case 'unknown':
      return { stage, code: outcome.code, retryAfterMs: outcome.retryAfterMs };
    default:
      return outcome satisfies never;
  }
}

/** An answer that came whole and does not say what it should. */
export function answerFailure(code: string): CallFailure {
  return { stage: 'answer', code, retryAfterMs: null };
}

export const INVALID_REQUEST: CallFailure = { stage: 'request', code: 'invalid-request', retryAfterMs: null };

/** Nothing was sent. */
export const NO_REQUEST: RequestEvidence = { method: '', path: '', body: null };

/** The report of a call that only reads, of whose input no request can be made. */
export const REFUSED_INPUT = {
  kind: 'failed',
  ...INVALID_REQUEST,
  evidence: { request: NO_REQUEST, response: null, durationMs: 0 },
} as const;

/**
 * What came back, readable and cut for keeping. `null` when not even a status line was read.
 * @param read the same answer's body, where it was read whole already
 */
export function responseEvidence(
  { result, seen }: Pick<CallTrace, 'result' | 'seen'>,
  compiled: CompiledDialect,
  read: ReadBody | null = null,
): ResponseEvidence | null {
  const { status, headers, body, phase } = seen;
  if (status === null) return null;
  const isCut = body.length > evidenceBodyBytesMax;
  // What could not be read has no words, and is kept all the same.
  const isRead = !isCut && seen === result && read !== null && read.kind !== 'not-json';
  const text = isRead ? read.text : bodyText(seen, evidenceBodyBytesMax);
  return { status, headers: keptHeaders(headers, compiled), body: text, truncated: isCut || phase !== 'answered' };
}
