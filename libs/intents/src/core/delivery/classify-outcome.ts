/**
 * Why no complete answer was read. The first group can only happen before the request was handed to a socket, the
 * second only after; `aborted` and `timeout` happen in both, told apart by the phase.
 */
export type TransportErrorKind =
  | 'dns-failure'
  | 'connection-refused'
  | 'connect-timeout'
  | 'tls-failure'
  | 'connection-failed'
  | 'no-token'
  | 'unsendable'
  | 'aborted'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'malformed'
  | 'response-too-large';

/** What the body of an answer was. `truncated`: the connection ended before the answer was complete. */
export type BodyKind = 'complete-json-object' | 'other-json' | 'empty' | 'truncated' | 'not-json';

/**
 * What an answer with a success status must show to count as applied (`success.proof`). `documented`: what
 * partner-api.md documents for the operation. `object`: any JSON object. `any`: JSON of whatever kind, or no body at all;
 * what is no JSON never counts.
 */
export type ProofNeeded = 'documented' | 'object' | 'any';

/**
 * What the answer shows of the effect that was asked for. `documented`: the proof that partner-api.md documents. Against it
 * speak `foreign-pass`: a pass whose metaData names another member, `otherwise`: a documented field that shows something
 * else than was asked for, and `denied`: an answer that says of itself that it failed. `none`: neither.
 */
export type ProofShown = 'documented' | 'foreign-pass' | 'otherwise' | 'denied' | 'none';

/**
 * What the dialect says about this answer, computed by the gateway so that the domain needs no pattern and no name of
 * the partner's: everything that partner-api.md does not show is a setting (contracts.md section 6).
 */
export interface DialectFacts {
  /** The status is among the accepted success statuses. */
  readonly isSuccessStatus: boolean;
  readonly proofNeeded: ProofNeeded;
  readonly proofShown: ProofShown;
  /**
   * What a refusal with this status is about: `content`, this one intent; `configuration`, every call of its kind;
   * `none`: no status of a refusal.
   */
  readonly refusal: 'content' | 'configuration' | 'none';
  /** What a 429 means. */
  readonly tooManyRequests: 'not-applied' | 'unknown';
  /** A 5xx of this status proves that nothing was done (`notApplied.statuses`). */
  readonly isNotAppliedStatus: boolean;
  /** The refusal says that the value which this request sent is already in use. */
  readonly saysDuplicate: boolean;
  /** The refusal says that the member has no pass; only ever true where the operation needs one. */
  readonly saysNoSuchPass: boolean;
}

/** Everything that was seen of one attempt; the whole input of `classifyOutcome`. */
export interface AttemptObservation {
  readonly phase: AttemptPhase;
  /** `null` when the answer was read completely. */
  readonly error: TransportErrorKind | null;
  /** `null` when no status line was read. */
  readonly status: number | null;
  /** From Retry-After, in milliseconds, already clamped; `null` when absent or unreadable. */
  readonly retryAfterMs: number | null;
  readonly body: BodyKind;
  /** The words of an error body, from where the dialect finds them; `null`: none. */
  readonly message: string | null;
  readonly facts: DialectFacts;
}

/**
 * How far a request got before it ended. `not-sent`: nothing of the request was handed to a socket, so the partner
 * cannot have seen it. `sent`: headers were handed over, no complete answer came back. `answered`: a complete
 * response (status, headers, body) was read.
 */
export type AttemptPhase = 'not-sent' | 'sent' | 'answered';

/**
 * Stable codes of a definite refusal. `refused` is every refusal the dialect gives no closer name; `invalid-request` is
 * the gateway's own, for what it will not send.
 */
export type RejectionCode = 'duplicate' | 'no-such-pass' | 'refused' | 'invalid-request' | 'shared-pass';

/**
 * What an attempt told us (design.md section 6).
 * `answered` on `not-applied` says whether the partner answered: only then does the attempt count against `retries`.
 * `systemic` marks refusals that point at broken configuration, not at this intent.
 */
export type AttemptOutcome =
  | { readonly kind: 'applied' }
  | {
      readonly kind: 'rejected';
      readonly code: RejectionCode;
      readonly message: string;
      /** A keyed digest of the wording (`refusalFingerprint`), for grouping: it may be stored in the clear. */
      readonly fingerprint?: string;
    }
  | {
      readonly kind: 'not-applied';
      readonly code: string;
      readonly answered: boolean;
      readonly systemic: boolean;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'unknown'; readonly code: string; readonly retryAfterMs: number | null };

type NotApplied = Extract<AttemptOutcome, { kind: 'not-applied' }>;

interface OutcomeRow {
  readonly seen: (observation: AttemptObservation) => boolean;
  readonly means: (observation: AttemptObservation) => AttemptOutcome;
}

/** 408 and 429 say nothing about what was asked for, whatever a dialect says of them. */
const refuses = (kind: DialectFacts['refusal'], { status, facts }: AttemptObservation): boolean =>
  facts.refusal === kind && isWithin(status, 400, 500) && status !== 408 && status !== 429;

const isJson = (body: BodyKind): boolean => body === 'complete-json-object' || body === 'other-json';

const APPLIED: AttemptOutcome = { kind: 'applied' };

/** Another member's pass was answered. */
const foreignPassCode = 'foreign-pass';

/**
 * The partner answered a yes to something else: another amount, another date, a card of another tier. What it has done, and
 * whether a second call would be refused for the right one, only a person can find out.
 */
export const answeredOtherwiseCode = 'answered-otherwise';

const isWithin = (status: number | null, from: number, below: number): boolean =>
  status !== null && status >= from && status < below;

/** The first row that fits decides; what fits none is unknown. One row per line of the table in design.md section 6. */
const OUTCOME_TABLE: readonly OutcomeRow[] = [
  { seen: ({ phase }) => phase === 'not-sent', means: neverSent },
  // A lost, cut or half-read answer proves nothing, whatever its status line said.
  { seen: ({ phase, body }) => phase === 'sent' || body === 'truncated', means: unknown },
  { seen: ({ status }) => status === 401, means: (o) => refusedForAll(o, 'unauthorized') },
  {
    seen: ({ status, facts }) => status === 429 && facts.tooManyRequests === 'not-applied',
    // Waiting for a limit uses up no tries (design.md section 3): told to wait, we have not been answered.
    means: ({ retryAfterMs }) => ({ ...notApplied('too-many-requests', false, retryAfterMs), answered: false }),
  },
  {
    // Somebody's word for it, as of a gateway that answers so before it passes anything on; by default nobody's.
    seen: ({ status, facts }) => isWithin(status, 500, 600) && facts.isNotAppliedStatus,
    means: (o) => notApplied(httpCode(o), false, o.retryAfterMs),
  },
  {
    // A partner may answer 404 for the member instead of the path; then only its message tells.
    seen: (o) =>
      (refuses('content', o) || o.status === 404) &&
      o.message !== null &&
      o.facts.saysNoSuchPass &&
      !o.facts.saysDuplicate,
    means: (o) => rejected(o, 'no-such-pass'),
  },
  { seen: (o) => refuses('configuration', o), means: (o) => refusedForAll(o, httpCode(o)) },
  {
    // Both at once is ambiguous: reading it as `duplicate` could lose a sale, as `no-such-pass` could wait for ever.
    seen: (o) => refuses('content', o) && o.message !== null && o.facts.saysDuplicate && !o.facts.saysNoSuchPass,
    means: (o) => rejected(o, 'duplicate'),
  },
  {
    // How most endpoints word an error is not shown (section 7): JSON of another shape is the partner's own no, too. An
    // empty body or a page may be somebody's between us, who knows nothing of this intent.
    seen: (o) => refuses('content', o) && (o.message !== null || isJson(o.body)),
    means: (o) => rejected(o, 'refused'),
  },
  {
    seen: ({ status, message }) => isWithin(status, 400, 500) && status !== 408 && status !== 429 && message === null,
    means: (o) => refusedForAll(o, httpCode(o)),
  },
  {
    // Whatever else the answer shows: that it is about another member speaks against the effect that was asked for.
    seen: ({ status, facts }) => isWithin(status, 200, 300) && facts.proofShown === 'foreign-pass',
    means: ({ retryAfterMs }) => ({ kind: 'unknown', code: foreignPassCode, retryAfterMs }),
  },
  {
    seen: ({ status, facts }) => isWithin(status, 200, 300) && facts.proofShown === 'otherwise',
    means: ({ retryAfterMs }) => ({ kind: 'unknown', code: answeredOtherwiseCode, retryAfterMs }),
  },
  { seen: ({ status, facts }) => isWithin(status, 200, 300) && facts.proofShown === 'denied', means: unknown },
  { seen: (o) => isWithin(o.status, 200, 300) && o.facts.isSuccessStatus && isProven(o), means: () => APPLIED },
];

/**
 * What one attempt told us: the table of design.md section 6 as data. Pure and total. A duplicate refusal is always
 * `rejected` with code `duplicate`: whether it proves our own earlier attempt is for the intent's history to say.
 */
export function classifyOutcome(observation: AttemptObservation): AttemptOutcome {
  const row = OUTCOME_TABLE.find(({ seen }) => seen(observation));
  return (row?.means ?? unknown)(observation);
}

/**
 * Whether an unknown outcome's code tells of a complete 2xx that proved nothing: the partner said yes, to nobody knows
 * what. Unlike an answer that was lost it is not sent again by policy where that could take effect twice.
 */
export function isUnprovenCode(code: string): boolean {
  return code === foreignPassCode || code === answeredOtherwiseCode || /^(?:unproven|http)-2\d\d(?:-|$)/.test(code);
}

function isProven({ body, facts }: AttemptObservation): boolean {
  switch (facts.proofNeeded) {
    case 'documented':
      return body === 'complete-json-object' && facts.proofShown === 'documented';
    case 'object':
      return body === 'complete-json-object';
    case 'any':
      return body !== 'not-json';
  }
}

function neverSent({ error, retryAfterMs }: AttemptObservation): AttemptOutcome {
  const ambiguousAlone = error === 'aborted' || error === 'timeout';
  const code = ambiguousAlone ? `${error}-before-send` : (error ?? 'not-sent');
  return { kind: 'not-applied', code, answered: false, systemic: error === 'unsendable', retryAfterMs };
}

function notApplied(code: string, systemic: boolean, retryAfterMs: number | null): NotApplied {
  return { kind: 'not-applied', code, answered: true, systemic, retryAfterMs };
}

function refusedForAll({ retryAfterMs }: AttemptObservation, code: string): AttemptOutcome {
  return notApplied(code, true, retryAfterMs);
}

function rejected({ message }: AttemptObservation, code: RejectionCode): AttemptOutcome {
  return { kind: 'rejected', code, message: message ?? '' };
}

function unknown(observation: AttemptObservation): AttemptOutcome {
  return { kind: 'unknown', code: unknownCode(observation), retryAfterMs: observation.retryAfterMs };
}

function unknownCode(observation: AttemptObservation): string {
  const { error, status, body } = observation;
  if (error !== null) return error;
  if (body === 'truncated') return 'truncated';
  if (!isWithin(status, 200, 300)) return httpCode(observation);
  if (body !== 'complete-json-object') return `${httpCode(observation)}-${body}`;
  return observation.facts.isSuccessStatus ? `unproven-${status}` : httpCode(observation);
}

function httpCode({ status }: AttemptObservation): string {
  return status === null ? 'no-status' : `http-${status}`;
}

/** Longest part of a message that tells refusals apart. */
const messageLengthMax = 200;

/** What differs from member to member: quoted values, addresses, ids and numbers. */
const values = /"[^"]*"|'[^']*'|`[^`]*`|\S+@\S+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\S*\d\S*/gi;

const word = /[\p{L}\p{N}]+/gu;

function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.toLowerCase().match(word) ?? [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsIn) : [];
}

/**
 * Refusals that mean the same have the same fingerprint: the code and the message without what is the member's own, quoted or
 * said in the words that were sent. Not fit for being shown or stored in the clear: a partner may write another's name.
 *
 * @param sent what the partner has refused
 */
export function refusalFingerprint(code: string, message: string, sent: object = {}): string {
  const own = new Set(wordsIn(sent));
  const plain = message.replace(values, '#').toLowerCase();
  const wording = plain
    .replace(word, (one) => (own.has(one) ? '#' : one))
    .replace(/\s+/g, ' ')
    .trim();
  return `${code}: ${wording.slice(0, messageLengthMax)}`;
}
