import { type Answer, changeAnswer, jsonAnswer } from '../http/answer.js';
import type { CallOperation } from '../http/operation.js';
import type { FaultKind } from './fault-kind.js';

/** The call takes effect; the body is a proxy's page instead of JSON. */
export const garbage: FaultKind = {
  kind: 'garbage',
  async around(call, { status = 200 }, { next }) {
    await next(call);
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return { status, headers, body: '<html><body><h1>It works!</h1></body>', wire: 'whole' };
  },
};

/** The call takes effect; the answer has no body. */
export const empty: FaultKind = {
  kind: 'empty',
  async around(call, { status }, { next }) {
    const answer = await next(call);
    return changeAnswer(answer, { status: status ?? answer.status, body: '' });
  },
};

/** Far over what any client reads into memory. */
const bytesDefault = 64 * 1024 * 1024;

/** The call takes effect; its answer is right, and padded to `bytes` with one endless property. */
export const oversized: FaultKind = {
  kind: 'oversized',
  async around(call, { bytes = bytesDefault, status }, { next }) {
    const answer = await next(call);
    return changeAnswer(answer, { status: status ?? answer.status, wire: 'oversized', bytes });
  },
};

/** The call is served as ever; its answer is compressed, asked or not. */
export const gzip: FaultKind = {
  kind: 'gzip',
  async around(call, _settings, { next }) {
    return written(await next(call), 'gzip');
  },
};

/** The call is served as ever; its answer is in ISO-8859-1, says so, and holds an umlaut. */
export const otherCharset: FaultKind = {
  kind: 'other-charset',
  async around(call, _settings, { next }) {
    return written(await next(call), 'latin1');
  },
};

/** What another fault has damaged stays as it is. */
function written(answer: Answer, wire: 'gzip' | 'latin1'): Answer {
  return answer.wire === 'whole' ? { ...answer, wire } : answer;
}

/**
 * The answer shows the pass of another member of the program, whole and plausible, as a gateway does that mixes up its
 * answers. Whether the call took effect, `applies` says, else the seed. Where no pass is answered it makes no sense.
 */
export const foreign: FaultKind = {
  kind: 'foreign',
  operations: ['lookup', 'issue', 'issue-via-workflow', 'update-via-workflow', 'reward'],
  choosesEffect: true,
  async around(call, { applies }, { next, chance, showStranger }) {
    const answer = (applies ?? chance(1) < 0.5) ? await next(call) : null;
    return answer?.wire === 'dropped' ? answer : showStranger(call, chance(2));
  },
};

interface HollowBody {
  readonly status: number;
  /** @param real what the call was answered with; null: it was not carried on, or that was no JSON */
  readonly body: (real: unknown) => object;
}

const nothing: HollowBody = { status: 200, body: () => ({}) };

/** What gateways, proxies and maintenance pages answer for a partner that they have not asked, or not understood. */
const hollowBodies: readonly HollowBody[] = [
  nothing,
  { status: 200, body: () => ({ message: 'Validation failed: card is blocked' }) },
  { status: 200, body: () => ({ success: false }) },
  { status: 200, body: () => ({ status: 'maintenance' }) },
  { status: 202, body: () => ({ message: 'Accepted' }) },
  { status: 202, body: () => ({ jobId: '7f3c1a' }) },
  { status: 200, body: (real) => ({ data: real ?? {} }) },
  { status: 201, body: () => ({ passId: null, serialNumber: null, transactionId: null }) },
  { status: 200, body: () => ({ error: { code: 'CARD_BLOCKED', message: 'The card is blocked' } }) },
  { status: 207, body: () => ({ results: [] }) },
];

/** A message is all that a schedule is answered with (partner-api.md 4.4): there it would prove something. */
function bodiesFor(operation: CallOperation): readonly HollowBody[] {
  const isProof = ({ body }: HollowBody): boolean => operation === 'schedule-update' && 'message' in body(null);
  return hollowBodies.filter((hollowBody) => !isProof(hollowBody));
}

/** @param real null: the call was not carried on */
function wrap({ status, body }: HollowBody, real: Answer | null): Answer {
  return jsonAnswer(status, body(real === null ? null : parsed(real.body)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * A 2xx with a JSON object in which nothing shows that the call took effect. Whether it did, `applies` says, else the
 * seed; which body, `wording` says, else the seed.
 */
export const hollow: FaultKind = {
  kind: 'hollow',
  choosesEffect: true,
  statuses: [200, 299],
  async around(call, { applies, wording, status }, { next, chance }) {
    const real = (applies ?? chance(1) < 0.5) ? await next(call) : null;
    if (real?.wire === 'dropped') return real;
    const bodies = bodiesFor(call.operation);
    const chosen = bodies[(wording ?? Math.floor(chance(2) * bodies.length)) % bodies.length] ?? nothing;
    return changeAnswer(wrap(chosen, real), status === undefined ? {} : { status });
  },
};
