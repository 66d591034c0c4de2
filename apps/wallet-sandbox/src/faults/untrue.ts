import { changeAnswer, jsonAnswer } from '../http/answer.js';
import type { FaultKind } from './fault-kind.js';

/** What a transaction is answered with that was not asked for. */
const otherTransactions: readonly [object, ...object[]] = [
  { amount: 0.07 },
  { amount: '0.07' },
  { transactionTypeId: 999_999 },
  { transactionDate: '2001-02-03T04:05:06.000Z' },
];

/**
 * A success that shows another transaction than the one that was sent, as a partner does that mixes up amounts, or answers
 * with an older one. Whether the call took effect, `applies` says, else the seed; what is shown, `wording`, else the seed.
 */
export const otherwise: FaultKind = {
  kind: 'otherwise',
  operations: ['transaction'],
  choosesEffect: true,
  async around(call, { applies, wording }, { next, chance }) {
    const real = (applies ?? chance(1) < 0.5) ? await next(call) : null;
    if (real?.wire === 'dropped') return real;
    const index = wording ?? Math.floor(chance(2) * otherTransactions.length);
    const other = otherTransactions[index % otherTransactions.length] ?? otherTransactions[0];
    const asked = { transactionId: 9_000_000_001, transactionTypeId: Number(call.targetId) };
    const done = real?.status === 200 ? (JSON.parse(real.body) as object) : asked;
    const answer = jsonAnswer(200, { ...done, ...other });
    return real === null ? answer : changeAnswer(answer, { headers: { ...real.headers, ...answer.headers } });
  },
};

interface FailedDuplicate {
  readonly status: number;
  /** @param value what the request names last: a receipt */
  readonly body: (value: string) => object;
}

const failedDuplicates: readonly [FailedDuplicate, ...FailedDuplicate[]] = [
  {
    status: 400,
    body: (value) => ({
      message: `receipt must be unique: ${value} already exists (transaction 991, status DECLINED)`,
    }),
  },
  { status: 409, body: (value) => ({ message: `Receipt "${value}" already used by a voided transaction` }) },
  {
    status: 409,
    body: (value) => ({ message: `Receipt ${value} already exists`, transactionId: 991, status: 'DECLINED' }),
  },
  { status: 422, body: (value) => ({ message: `Receipt ${value} has already been submitted; awaiting approval` }) },
];

/**
 * A refusal as duplicate of a transaction that failed: it holds the value, and the transaction does not exist. Nothing takes effect.
 */
export const failedDuplicate: FaultKind = {
  kind: 'failed-duplicate',
  operations: ['transaction'],
  statuses: [400, 499],
  async around({ named }, { wording, status }, { chance }) {
    const index = wording ?? Math.floor(chance(1) * failedDuplicates.length);
    const chosen = failedDuplicates[index % failedDuplicates.length] ?? failedDuplicates[0];
    return jsonAnswer(status ?? chosen.status, chosen.body(named?.().at(-1) ?? ''));
  },
};
