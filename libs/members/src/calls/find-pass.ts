import type { PassReference } from '#intents/core';
import type {
  Caller,
  Exchange,
  ObservedAnswer,
  PlannedRequest,
  CompiledDialect,
  Dialect,
  CallFailure,
  CallOptions,
  LookupReport,
  PassLookup,
} from '#gateway/core';
import {
  isDeadPass,
  isJsonObject,
  readPass,
  REFUSED_INPUT,
  answerFailure,
  callFailure,
  observeAnswer,
  plainReading,
  InvalidRequest,
  programPath,
  queryText,
  namesPass,
  passOwnership,
} from '#gateway/core';

/** 4.1 Get wallet pass by unique identifier. */
export async function findPass(caller: Caller, lookup: PassLookup, options: CallOptions): Promise<LookupReport> {
  const made = await caller.exchange(lookup, () => planLookup(lookup), options);
  return made instanceof InvalidRequest ? REFUSED_INPUT : readLookup({ lookup, ...made });
}

/** @throws InvalidRequest */
export function planLookup(lookup: PassLookup): PlannedRequest {
  const { by, uniqueId } = lookup;
  const query =
    by === undefined
      ? queryText([['unique_id', uniqueId, 'uniqueId']])
      : queryText([[by.parameter, by.value, 'by.value']]);
  return { method: 'GET', path: `${programPath(lookup)}/wallets${query}`, body: null };
}

interface LookupAnswer extends Exchange {
  readonly lookup: PassLookup;
}

/** Found, absent or failed (partner-api.md 4.1; the dialect says which refusals mean "absent"). */
function readLookup(answer: LookupAnswer): LookupReport {
  const { trace, compiled, evidence } = answer;
  const observed = observeAnswer(trace, plainReading(compiled));
  if (isAbsent(observed, compiled)) return { kind: 'absent', evidence };
  const several = matchesOf(observed);
  if (several !== null) return readMatches(answer, several);
  const failure = callFailure(observed);
  return failure === null ? readFound(answer, observed.body?.json) : failed(answer, failure);
}

function isAbsent({ observation, isAboutRoute }: ObservedAnswer, compiled: CompiledDialect): boolean {
  const { phase, status, message } = observation;
  if (phase !== 'answered' || status === null || message === null || isAboutRoute) return false;
  return compiled.absentStatuses.has(status) && compiled.absentPattern.test(message);
}

function matchesOf({ observation, body }: ObservedAnswer): readonly unknown[] | null {
  return observation.phase === 'answered' && observation.facts.isSuccessStatus ? severalMatches(body?.json) : null;
}

function readMatches(answer: LookupAnswer, matches: readonly unknown[]): LookupReport {
  const picked = pickMatch(matches, answer.lookup, answer.compiled.dialect);
  if (picked.kind === 'picked') return readFound(answer, picked.pass);
  if (picked.kind === 'absent') return { kind: 'absent', evidence: answer.evidence };
  return failed(answer, answerFailure(picked.code));
}

function readFound(answer: LookupAnswer, json: unknown): LookupReport {
  const { lookup, compiled, evidence } = answer;
  if (!isJsonObject(json) || !namesPass(json)) {
    return failed(answer, answerFailure('not-a-pass'));
  }
  const ownership = passOwnership(json, lookup);
  const { trustWithoutMetaData, trustSharedWithoutMetaData } = compiled.dialect.lookup;
  const isTrusted =
    ownership === 'unsaid' && (lookup.by === undefined ? trustWithoutMetaData : trustSharedWithoutMetaData);
  if (ownership !== 'ours' && !isTrusted) return failed(answer, answerFailure('foreign-pass'));
  const { value, alarms } = readPass(json, compiled.dialect);
  if (value.isDead === true) return { kind: 'absent', isDead: true, evidence };
  return { kind: 'found', pass: value, shapeAlarms: alarms, evidence };
}

function failed({ evidence }: LookupAnswer, failure: CallFailure): LookupReport {
  return { kind: 'failed', ...failure, evidence };
}

/** Which pass a list of matches stands for. */
type PickedMatch =
  | { readonly kind: 'picked'; readonly pass: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly code: 'empty-list' | 'several-passes' | 'foreign-pass' };

/**
 * The list that a lookup was answered with; `null` when it is one answer. Its shape is not shown (partner-api.md 4.1):
 * an array, or the listing's `{data: []}`.
 */
function severalMatches(json: unknown): readonly unknown[] | null {
  if (Array.isArray(json)) return json as unknown[];
  return isJsonObject(json) && Array.isArray(json['data']) ? json['data'] : null;
}

/** Reads a list as the dialect says. */
function pickMatch(matches: readonly unknown[], reference: PassReference, dialect: Dialect): PickedMatch {
  const { lookup } = dialect;
  if (matches.length === 0) {
    return lookup.emptyList === 'absent' ? { kind: 'absent' } : { kind: 'failed', code: 'empty-list' };
  }
  if (lookup.severalMatches === 'failed') return { kind: 'failed', code: 'several-passes' };
  const [first, second] = candidates(alive(withoutStrangers(matches, reference), dialect), reference);
  if (first === undefined) return { kind: 'failed', code: 'foreign-pass' };
  const isAmbiguous = second !== undefined && lookup.severalMatches === 'ours';
  return isAmbiguous ? { kind: 'failed', code: 'several-passes' } : { kind: 'picked', pass: first };
}

/** Whoever else is in it, of a list that shows a card of ours, dead or not, the others' say nothing. */
function withoutStrangers(matches: readonly unknown[], reference: PassReference): readonly unknown[] {
  const isOf = (match: unknown, whose: string): boolean =>
    isJsonObject(match) && passOwnership(match, reference) === whose;
  const showsOurs = matches.some((match) => isOf(match, 'ours'));
  return showsOurs ? matches.filter((match) => !isOf(match, 'foreign')) : matches;
}

/** Beside a card what is none any more is not looked at. */
function alive(matches: readonly unknown[], dialect: Dialect): readonly unknown[] {
  const living = matches.filter((match) => !isJsonObject(match) || !isDeadPass(match, dialect));
  return living.length === 0 ? matches.slice(0, 1) : living;
}

/** A list of one is an answer like any other: it need not say whose pass it shows. */
function candidates(matches: readonly unknown[], reference: PassReference): readonly unknown[] {
  if (matches.length === 1) return matches;
  return matches.filter((match) => isJsonObject(match) && passOwnership(match, reference) === 'ours');
}
