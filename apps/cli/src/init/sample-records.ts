import type { Answers } from './questions.js';
import { none } from './questions.js';

/** A record as a shop could send it, beside the source that maps it. */
interface SampleFile {
  /** Below the folder; the folder that holds it has the source's name. */
  readonly path: string;
  readonly record: Readonly<Record<string, unknown>>;
}

const customer = 4711;
const order = 'A-1001';

/** Values of records stand as their producer writes them: amounts in major units, numbers as ids. @param now ISO 8601 */
export function sampleRecords(answers: Answers, now = new Date(0).toISOString()): readonly SampleFile[] {
  const { customersTopic, ordersTopic, refundType, currency } = answers;
  const enrolled = {
    id: customer,
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: 'ada@example.org',
    created_at: now,
  };
  const paid = { id: order, status: 'paid', customer, total: 60, currency, paid_at: now };
  const back = { id: order, status: 'refunded', customer, refund: 'R-1', refunded: 10, currency, refunded_at: now };
  return [
    ...(customersTopic === none ? [] : [{ path: 'samples/customers/ada.json', record: enrolled }]),
    ...(ordersTopic === none ? [] : [{ path: 'samples/orders/paid.json', record: paid }]),
    ...(ordersTopic === none || refundType === none ? [] : [{ path: 'samples/orders/refunded.json', record: back }]),
  ];
}
