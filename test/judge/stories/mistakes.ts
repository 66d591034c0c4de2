import { type JsonObject, type LedgerEntry, type Rule } from '../case.js';
import { objectOf, textOf } from '../values.js';
import { type Draft } from './story.js';

/** One thing done wrong to the clean story, and the rule by which the judge names it. */
export interface Mistake {
  readonly what: string;
  readonly rule: Rule;
  readonly plant: (draft: Draft) => void;
}

const mistake = (rule: Rule, what: string, plant: Mistake['plant']): Mistake => ({ rule, what, plant });

type Entry = Draft['partner']['ledger'][number];

/** The transaction whose attribute `receipt` is this; the first one where it is there twice. */
function posted(draft: Draft, receipt: string, target?: string): Entry {
  const found = draft.partner.ledger.find(
    ({ operation, targetId, body }) =>
      operation === 'transaction' &&
      objectOf(body?.['attributes'])['receipt'] === receipt &&
      (target === undefined || targetId === target),
  );
  if (!found) throw new Error(`nothing posted as ${receipt}`);
  return found;
}

function called(draft: Draft, operation: string, passId: string): Entry {
  const found = draft.partner.ledger.find((entry) => entry.operation === operation && entry.passId === passId);
  if (!found) throw new Error(`no ${operation} of ${passId}`);
  return found;
}

function pass(draft: Draft, passId: string): Draft['partner']['passes'][number] {
  const found = draft.partner.passes.find((one) => one.passId === passId);
  if (!found) throw new Error(`no pass ${passId}`);
  return found;
}

/** The nth record (from 0) of a type that says this of itself. */
function told(draft: Draft, type: string, says: JsonObject): Draft['records'][number] {
  const found = draft.records.find(({ value }) => {
    const event = objectOf(value);
    const data = objectOf(event['data']);
    return event['type'] === `loyalty.${type}.v1` && Object.entries(says).every(([name, part]) => data[name] === part);
  });
  if (!found) throw new Error(`no ${type} that says ${JSON.stringify(says)}`);
  return found;
}

/** The first of a kind in a market's own form. */
function receipt(draft: Draft, kind: string): string {
  const found = draft.records.find(({ value }) => objectOf(value)['kind'] === kind);
  if (!found) throw new Error(`no receipt of the kind ${kind}`);
  return found.place;
}

const sale = (draft: Draft, purchaseId: string): string => told(draft, 'purchase.completed', { purchaseId }).place;

const without = (draft: Draft, ...entries: readonly LedgerEntry[]): void => {
  draft.partner.ledger = draft.partner.ledger.filter((entry) => !entries.includes(entry));
};
const unlisted = (draft: Draft, place: string): void => {
  draft.lists = draft.lists.filter((entry) => entry.place !== place);
};
const untold = (draft: Draft, place: string): void => {
  const offset = place.slice(place.lastIndexOf('/') + 1);
  const topic = place.slice(0, place.indexOf('/'));
  draft.outcomes = draft.outcomes.filter(({ data }) => {
    const cause = objectOf(objectOf(data)['cause']);
    return cause['offset'] !== offset || cause['topic'] !== topic;
  });
};
const change = (entry: Entry, part: JsonObject): void => {
  entry.body = { ...entry.body, ...part };
};
const changeAttributes = (entry: Entry, part: JsonObject): void =>
  change(entry, { attributes: { ...objectOf(entry.body?.['attributes']), ...part } });
const show = (draft: Draft, passId: string, part: JsonObject): void => {
  const one = pass(draft, passId);
  one.passdata = { ...one.passdata, ...part };
};

/** The same effect by another call. */
function again(draft: Draft, entry: Entry, part: Partial<Entry> = {}): Entry {
  const seq = Math.max(...draft.partner.ledger.map((one) => one.seq)) + 1;
  const repeated = { ...entry, seq, requestId: `again-${seq}`, ...part };
  draft.partner.ledger.push(repeated);
  return repeated;
}

/** A sale that the clean story has not, as if it had been posted. */
function post(draft: Draft, purchaseId: string, part: Partial<Entry> = {}): Entry {
  const { value } = told(draft, 'purchase.completed', { purchaseId });
  const posting = again(draft, posted(draft, 'V-3'), part);
  change(posting, { transactionDate: objectOf(value)['time'] });
  changeAttributes(posting, { receipt: purchaseId });
  return posting;
}

const hourMs = 3_600_000;

/** The thirteen holes that were found by reading, as they show from outside. */
export const holes: readonly Mistake[] = [
  mistake('sale-missing', 'a gateway answers {} while the partner is down, and the sale counts as applied', (draft) =>
    without(draft, posted(draft, 'B-2')),
  ),
  mistake(
    'refund-missing',
    '"receipt is being processed" is read as a duplicate, and the refund counts as applied',
    (draft) => without(draft, posted(draft, 'R-1')),
  ),
  mistake('sale-missing', "Berlin's 118 is refused as a duplicate of Paris' 118", (draft) =>
    without(draft, posted(draft, '118', '41')),
  ),
  mistake('sale-though-voided', 'a void that came before its purchase is forgotten', (draft) => {
    unlisted(draft, sale(draft, 'V-1'));
    post(draft, 'V-1');
  }),
  mistake('pass-differs', 'who left and comes back keeps the old card: opted out, old tier, no message', (draft) => {
    show(draft, 'coffee:cem', { optOut: true });
    Object.assign(pass(draft, 'coffee:cem'), { templateTierId: '1', currentMessage: null, smsSubscription: 900 });
  }),
  mistake(
    'told-other-pass',
    "the answer to one member's enrolment shows the pass of another with the same e-mail address",
    (draft) => {
      const issued = draft.outcomes.findLast(({ type }) => type === 'loyalty.pass.issued.v1')!;
      issued['data'] = { ...objectOf(issued['data']), passId: 'coffee:ada', serialNumber: 's-ada' };
    },
  ),
  mistake('reward-twice', 'a late "applied" is ignored, and the reward is sent once more', (draft) => {
    again(draft, called(draft, 'reward', 'coffee:ada'));
    show(draft, 'coffee:ada', { points: 80 });
  }),
  mistake('refund-without-sale', 'a refund does not find its cancelled purchase, and is posted', (draft) => {
    const { place, value } = told(draft, 'purchase.refunded', { refundId: 'R-2' });
    unlisted(draft, place);
    const refund = again(draft, posted(draft, 'R-1'), { passId: 'coffee:bob' });
    change(refund, { amount: -7, transactionDate: objectOf(value)['time'] });
    changeAttributes(refund, { receipt: 'R-2', of: 'V-2' });
  }),
  mistake(
    'correction-ignored',
    'a refused enrolment was mended by an operator, and still stands where it stood',
    (draft) => {
      const { place, sentAtMs } = told(draft, 'member.enrolled', { memberId: 'dora' });
      draft.lists.push({ list: 'parked', place, reason: 'rejected', sinceMs: (sentAtMs ?? 0) - 1 });
      draft.partner.passes = draft.partner.passes.filter(({ passId }) => passId !== 'coffee:dora');
    },
  ),
  mistake(
    'pass-differs',
    'an update of another field is dropped because another producer has higher numbers',
    (draft) => void (pass(draft, 'coffee:ada').groupId = 'g-1'),
  ),
  mistake('pass-differs', 'a stale update wins', (draft) => void (pass(draft, 'coffee:ada').templateTierId = '1')),
  mistake('reward-missing', 'points that our own update moved are read as proof of a lost reward', (draft) => {
    without(draft, called(draft, 'reward', 'coffee:ada'));
    show(draft, 'coffee:ada', { points: 100 });
  }),
  mistake('digits-taken', 'digits that are not those of the currency are taken', (draft) => {
    const record = told(draft, 'purchase.completed', { purchaseId: 'B-1' });
    const event = objectOf(record.value);
    const total = { minor: 59900, currency: 'EUR', digits: 3 };
    record.value = { ...event, data: { ...objectOf(event['data']), total } };
  }),
];

export const otherMistakes: readonly Mistake[] = [
  mistake('refund-sign', 'a refund has the sign of a sale', (draft) => change(posted(draft, 'R-1'), { amount: 19.9 })),
  mistake('sale-amount', 'cents are sent as euros', (draft) => change(posted(draft, 'B-1'), { amount: 5990 })),
  mistake('sale-amount', 'yen are divided by a hundred', (draft) =>
    change(posted(draft, '118', '41'), { amount: 59.99 }),
  ),
  mistake('sale-amount', 'an amount is rounded to whole euros', (draft) =>
    change(posted(draft, 'B-1'), { amount: 60 }),
  ),
  mistake('refund-amount', 'a refund gives back the whole sale', (draft) =>
    change(posted(draft, 'R-1'), { amount: -59.9 }),
  ),
  mistake(
    'pass-differs',
    'a member has the wrong tier',
    (draft) => void (pass(draft, 'coffee:bob').templateTierId = '2'),
  ),
  mistake('pass-differs', 'two members are swapped', (draft) => {
    const [ada, dora] = [pass(draft, 'coffee:ada'), pass(draft, 'coffee:dora')];
    [ada.person, dora.person] = [objectOf(dora.person), objectOf(ada.person)];
  }),
  mistake(
    'pass-differs',
    'an explicit null is dropped',
    (draft) => void (pass(draft, 'coffee:ada').currentMessage = 'Welcome'),
  ),
  mistake('pass-differs', "the caller's own keys are lost", (draft) =>
    show(draft, 'coffee:ada', { metaData: { memberId: 'ada' } }),
  ),
  mistake(
    'pass-differs',
    'a mapped attribute of the person is not sent',
    (draft) => void (pass(draft, 'coffee:ada').person = { firstName: 'Ada', lastName: 'L', email: 'home@example.org' }),
  ),
  mistake(
    'pass-differs',
    'consent is another than was given',
    (draft) => void (pass(draft, 'coffee:ada').smsSubscription = 300),
  ),
  mistake(
    'pass-differs',
    'an opt-out from messages is ignored',
    (draft) => void (pass(draft, 'coffee:eve').smsSubscription = 200),
  ),
  mistake(
    'pass-differs',
    'a card is issued by another template',
    (draft) => void (pass(draft, 'coffee:bob').templateId = '12'),
  ),
  mistake(
    'pass-differs',
    'what an operator mended is sent as it was',
    (draft) => void (pass(draft, 'coffee:dora').person = { firstName: 'Dora', email: 'home@example' }),
  ),
  mistake('pass-missing', 'an enrolled member has no card', (draft) => {
    draft.partner.passes = draft.partner.passes.filter(({ passId }) => passId !== 'coffee:eve');
  }),
  mistake(
    'pass-twice',
    'a member has two cards',
    (draft) => void draft.partner.passes.push({ ...pass(draft, 'coffee:bob'), passId: 'coffee:bob-2' }),
  ),
  mistake('pass-unasked', 'somebody has a card who never enrolled', (draft) => {
    const metaData = { memberId: 'mallory' };
    draft.partner.passes.push({ ...pass(draft, 'coffee:bob'), passId: 'x', passdata: { metaData } });
  }),
  mistake('points-wrong', 'points do not add up', (draft) => show(draft, 'coffee:ada', { points: 100 })),
  mistake('points-set-wrong', 'points are set to what an older event said', (draft) => {
    change(called(draft, 'update-via-workflow', 'coffee:ada'), { passdata: { points: 20 } });
    show(draft, 'coffee:ada', { points: 10 });
  }),
  mistake('sale-twice', 'a sale is posted twice', (draft) => void again(draft, posted(draft, 'B-1'))),
  mistake('sale-member', 'a sale is on another member', (draft) => void (posted(draft, 'B-1').passId = 'coffee:bob')),
  mistake('sale-member', 'a sale without a unique value is on another member', (draft) => {
    const other = { ...pass(draft, 'kiosk:ren'), passId: 'kiosk:kim', passdata: { metaData: { memberId: 'kim' } } };
    draft.partner.passes.push(other);
    posted(draft, '118', '41').passId = 'kiosk:kim';
  }),
  mistake('sale-date', 'a sale has the local time of the till as UTC', (draft) => {
    const entry = posted(draft, 'B-1');
    const date = Date.parse(textOf(entry.body?.['transactionDate']) ?? '') + hourMs;
    change(entry, { transactionDate: new Date(date).toISOString() });
  }),
  mistake('sale-attributes', 'a sale names another store', (draft) =>
    changeAttributes(posted(draft, 'B-1'), { store: 'paris' }),
  ),
  mistake(
    'sale-missing',
    'a sale is posted in another program',
    (draft) => void Object.assign(posted(draft, 'B-1'), { brandId: '102', programId: '2101' }),
  ),
  mistake('sale-though-voided', 'a void is ignored, and the sale is sent much later', (draft) => {
    unlisted(draft, sale(draft, 'V-2'));
    const { readByMs } = told(draft, 'purchase.voided', { purchaseId: 'V-2' });
    const arrivedAtMs = (readByMs ?? 0) + hourMs;
    post(draft, 'V-2', { arrivedAtMs, appliedAtMs: arrivedAtMs });
  }),
  mistake('sale-though-voided', 'a sale is taken in from quarantine after its void, and sent', (draft) => {
    const place = sale(draft, 'B-4');
    draft.lists = draft.lists.filter((entry) => entry.place !== place || entry.list !== 'cancelled');
    change(post(draft, 'B-4', { passId: 'coffee:ada' }), { amount: 4 });
    changeAttributes(posted(draft, 'B-4'), { store: 'berlin' });
  }),
  mistake('sale-twice', 'a voided sale is there twice', (draft) => void again(draft, posted(draft, 'V-3'))),
  mistake('counter-missing', 'what came too late to cancel has no counter-entry', (draft) =>
    without(draft, posted(draft, '118', '43')),
  ),
  mistake('counter-twice', 'a counter-entry is there twice', (draft) => void again(draft, posted(draft, '118', '43'))),
  mistake('counter-without-sale', 'a counter-entry is posted for a sale that is not there', (draft) => {
    const paris = draft.partner.ledger.filter(({ targetId }) => targetId === '41')[1]!;
    without(draft, paris);
  }),
  mistake('refund-before-sale', 'a refund overtakes its sale', (draft) => {
    const [sold, refunded] = [posted(draft, 'B-1'), posted(draft, 'R-1')];
    [sold.seq, refunded.seq] = [refunded.seq, sold.seq];
  }),
  mistake('refund-twice', 'a refund is posted twice', (draft) => void again(draft, posted(draft, 'R-1'))),
  mistake(
    'refund-member',
    'a refund goes to another member',
    (draft) => void (posted(draft, 'R-1').passId = 'coffee:dora'),
  ),
  mistake('refund-missing', 'a refund is posted as a sale', (draft) => void (posted(draft, 'R-1').targetId = '31')),
  mistake('refund-attributes', 'a refund names another sale', (draft) =>
    changeAttributes(posted(draft, 'R-1'), { of: 'B-2' }),
  ),
  mistake('sale-twice', 'a contradicting record is set aside, and posted all the same', (draft) =>
    change(again(draft, posted(draft, 'B-2')), { amount: 11 }),
  ),
  mistake('transaction-unasked', 'a transaction is there that nobody told', (draft) =>
    changeAttributes(again(draft, posted(draft, 'B-1')), { receipt: 'B-77' }),
  ),
  mistake('transaction-unasked', 'a till in training sells', (draft) => void post(draft, 'T-1')),
  mistake(
    'reward-unasked',
    'a reward goes to another member',
    (draft) => void (called(draft, 'reward', 'coffee:ada').passId = 'coffee:dora'),
  ),
  mistake(
    'reward-missing',
    'another reward is given than was granted',
    (draft) => void (called(draft, 'reward', 'coffee:ada').targetId = '9002'),
  ),
  mistake('reward-missing', 'one of three like rewards is missing', (draft) => {
    without(draft, called(draft, 'reward', 'kiosk:ren'));
    show(draft, 'kiosk:ren', { points: 0 });
  }),
  mistake('reward-though-revoked', 'a reward that was revoked before it was granted is given', (draft) => {
    unlisted(draft, told(draft, 'reward.granted', { grantId: 'g-3' }).place);
    again(draft, called(draft, 'reward', 'coffee:bob'));
  }),
  mistake('reward-though-expired', 'a reward is given after its last day', (draft) => {
    const grant = told(draft, 'reward.granted', { grantId: 'g-1' });
    const event = objectOf(grant.value);
    grant.value = { ...event, data: { ...objectOf(event['data']), validUntil: '2000-01-01T00:00:00Z' } };
  }),
  mistake('revocation-vanished', 'a revocation that came too late is told to nobody', (draft) =>
    unlisted(draft, told(draft, 'reward.revoked', { grantId: 'g-2' }).place),
  ),
  mistake('sale-missing', 'what is parked stands in no list', (draft) => unlisted(draft, sale(draft, 'P-1'))),
  mistake('vanished', 'a record is neither taken nor set aside', (draft) => {
    draft.lists = draft.lists.filter(({ reason }) => reason !== 'unknown-program');
  }),
  mistake('vanished', 'what a dead clock told is taken', (draft) =>
    unlisted(draft, told(draft, 'purchase.completed', { purchaseId: 'B-0' }).place),
  ),
  mistake('vanished', 'a contradiction is taken for a repetition', (draft) => {
    draft.lists = draft.lists.filter(({ reason }) => reason !== 'conflict');
  }),
  mistake('vanished', 'a merge is told to nobody', (draft) => {
    draft.lists = draft.lists.filter(({ reason }) => reason !== 'merged');
  }),
  mistake('set-aside-wrongly', 'a good record is set aside', (draft) => {
    const place = sale(draft, 'B-1');
    without(draft, posted(draft, 'B-1'));
    draft.lists.push({ list: 'quarantined', place, reason: 'unroutable' });
  }),
  mistake('set-aside-wrongly', 'a whole record is set aside as damaged', (draft) => {
    const place = sale(draft, 'B-1');
    without(draft, posted(draft, 'B-1'));
    draft.lists.push({ list: 'quarantined', place, reason: 'unreadable' });
  }),
  mistake(
    'no-reason',
    'something is parked without a reason',
    (draft) => void (draft.lists.find(({ reason }) => reason === 'rejected')!.reason = null),
  ),
  mistake(
    'list-wrong',
    'something is parked under another member',
    (draft) => void (draft.lists.find(({ reason }) => reason === 'rejected')!.member = 'ada'),
  ),
  mistake('refused-yet-there', 'a list says rejected of a sale that is there', (draft) =>
    change(post(draft, 'P-1'), { amount: 3 }),
  ),
  mistake(
    'cancelled-yet-there',
    'a list says cancelled of a sale that is there',
    (draft) => void draft.lists.push({ list: 'cancelled', place: sale(draft, 'V-3'), reason: 'voided' }),
  ),
  mistake('left-yet-sent', 'what somebody buys after leaving is posted', (draft) => {
    const posting = post(draft, 'A-1', { passId: 'coffee:cem' });
    change(posting, { amount: 9 });
    unlisted(draft, sale(draft, 'A-1'));
  }),
  mistake('left-unasked', 'a sale is parked as of somebody who left, who never did', (draft) => {
    without(draft, posted(draft, 'B-2'));
    draft.lists.push({ list: 'parked', place: sale(draft, 'B-2'), reason: 'not-a-member' });
  }),
  mistake('cancelled-unasked', 'a sale is cancelled that nobody voided', (draft) => {
    without(draft, posted(draft, 'B-2'));
    draft.lists.push({ list: 'cancelled', place: sale(draft, 'B-2'), reason: 'voided' });
  }),
  mistake('told-untrue', 'the shop is told that a refused sale was delivered', (draft) => {
    const parked = draft.outcomes.find(({ type }) => type === 'loyalty.intent.parked.v1')!;
    parked['type'] = 'loyalty.intent.delivered.v1';
  }),
  mistake('told-untrue', 'the shop is told another purchase than its record names', (draft) => {
    const outcome = draft.outcomes.find(({ data }) => objectOf(data)['purchaseId'] === 'B-1')!;
    outcome['data'] = { ...objectOf(outcome['data']), purchaseId: 'B-2' };
  }),
  mistake('not-told', 'the shop is told nothing of a sale that is there', (draft) => untold(draft, sale(draft, 'B-1'))),
  mistake('sale-amount', 'what an operator mended and took in is sent as it came', (draft) =>
    change(posted(draft, 'B-3'), { amount: 300 }),
  ),
  mistake('refund-missing', 'of an exchange, which is one record, only what was sold is posted', (draft) =>
    without(draft, posted(draft, 'N-1')),
  ),
  mistake('sale-missing', 'of an exchange only what was brought back is posted', (draft) =>
    without(draft, posted(draft, 'M-2')),
  ),
  mistake('taken-in-part', 'an exchange is set aside, and its sale is posted', (draft) => {
    draft.lists.push({ list: 'quarantined', place: receipt(draft, 'exchange'), reason: 'invalid' });
    without(draft, posted(draft, 'N-1'));
  }),
  mistake('sale-amount', 'a map takes euros for cents', (draft) => change(posted(draft, 'M-2'), { amount: 0.299 })),
  mistake(
    'sale-twice',
    'a receipt that is told again in another place is posted again',
    (draft) => void again(draft, posted(draft, 'M-1')),
  ),
  mistake('vanished', 'what a map does not know counts as nothing', (draft) =>
    unlisted(draft, receipt(draft, 'basket')),
  ),
  mistake('beyond-authority', 'a source says what it was not declared for, and it is taken', (draft) =>
    unlisted(draft, receipt(draft, 'gift')),
  ),
  mistake('set-aside-wrongly', 'a map refuses a receipt in which nothing is missing', (draft) => {
    without(draft, posted(draft, 'M-1'));
    draft.lists.push({ list: 'quarantined', place: receipt(draft, 'sale'), reason: 'invalid' });
  }),
  mistake(
    'set-aside-wrongly',
    'a receipt that asks for nothing is set aside',
    (draft) => void draft.lists.push({ list: 'quarantined', place: receipt(draft, 'training'), reason: 'invalid' }),
  ),
  mistake('set-aside-wrongly', 'a source is refused what it was declared for', (draft) => {
    without(draft, posted(draft, 'M-1'));
    draft.lists.push({ list: 'quarantined', place: receipt(draft, 'sale'), reason: 'not-allowed' });
  }),
];
