import { type Bucket, type JsonObject, type LedgerEntry, type ListEntry, type TransactionMapping } from './case.js';
import { type Evidence, inFlightMs } from './evidence.js';
import {
  attributesOf,
  isKnownBefore,
  isToldBefore,
  purchaseKey,
  refundKey,
  type Told,
  voidedKey,
} from './read-records.js';
import { mappingOf } from './mapping.js';
import { at, canonical, decimal, decimalOf, isObject, isoDigits, objectOf, sentTimeOf, textOf } from './values.js';

type Noun = 'sale' | 'refund' | 'counter' | 'correction';

/** A transaction that an event asks for. */
interface Owed {
  readonly noun: Noun;
  readonly event: Told;
  readonly mapping: TransactionMapping;
  readonly amount: string;
  readonly attributes: JsonObject;
  readonly entries: LedgerEntry[];
}

interface Till {
  readonly owed: readonly Owed[];
  readonly salesByKey: ReadonlyMap<string, readonly Owed[]>;
  readonly salesByNumber: ReadonlyMap<string, readonly Owed[]>;
  readonly refundsByKey: ReadonlyMap<string, readonly Owed[]>;
  readonly correctionsByKey: ReadonlyMap<string, readonly Owed[]>;
  /** By the key of what they void, as are the voids: a sale or a refund. */
  readonly countersByKey: ReadonlyMap<string, readonly Owed[]>;
  readonly voidableByKey: ReadonlyMap<string, readonly Owed[]>;
  readonly voidsByKey: ReadonlyMap<string, readonly Told[]>;
  /** Sales that stand in quarantine under a number that another one has. */
  readonly asideByKey: ReadonlyMap<string, readonly Told[]>;
  /** Minor units of what sales were corrected to. */
  readonly totalsByKey: ReadonlyMap<string, readonly unknown[]>;
  readonly evidence: Evidence;
}

/** Effects by the place of the event that asked for them. */
export type Posted = ReadonlyMap<string, readonly LedgerEntry[]>;

/** Is each sale there once, as it was; each refund likewise; is what was voided there no more than the voids allow. */
export function judgeTransactions(
  events: readonly Told[],
  byPlace: ReadonlyMap<string, Told>,
  evidence: Evidence,
): Posted {
  const till = { ...tillOf(events, evidence), asideByKey: asideByKey([...byPlace.values()], evidence) };
  const unmatched = match(till.owed, evidence);
  for (const owed of till.owed) {
    evidence.judged[`${owed.noun}s`] += 1;
    judgeHowOften(owed, till);
    for (const entry of owed.entries) judgeAsTold(owed, entry, till);
    if (owed.noun === 'sale' || owed.noun === 'refund') judgeVoids(owed, till);
    if (owed.noun === 'refund' || owed.noun === 'correction') judgeRefund(owed, till);
    judgeNumber(owed, till);
  }
  for (const sales of till.salesByKey.values()) judgeReceipt(sales, till);
  for (const event of events) judgeUnmapped(event, evidence);
  for (const entry of unmatched) {
    evidence.find('transaction-unasked', null, `ledger ${entry.seq}: ${canonical(entry.body)}`);
  }
  return new Map(
    till.owed.filter(({ entries }) => entries.length > 0).map(({ event, entries }) => [event.place, entries]),
  );
}

const nouns: { readonly [kind: string]: Noun } = {
  'purchase.completed': 'sale',
  'purchase.refunded': 'refund',
  'purchase.voided': 'counter',
  'refund.voided': 'counter',
  'purchase.corrected': 'correction',
};

/** What takes from the member. */
const takes: ReadonlySet<string> = new Set(['purchase.refunded', 'purchase.voided']);

function tillOf(events: readonly Told[], evidence: Evidence): Omit<Till, 'asideByKey'> {
  const voidsByKey = Map.groupBy(
    events.filter(({ kind }) => kind === 'purchase.voided' || kind === 'refund.voided'),
    (event) => voidedKey(event),
  );
  const inSales = changesInSales(events, evidence);
  const owed = events.flatMap((event) => owedOf(event, inSales));
  const byKey = (noun: Noun): ReadonlyMap<string, readonly Owed[]> =>
    Map.groupBy(
      owed.filter((one) => one.noun === noun),
      ({ event }) => (noun === 'counter' ? voidedKey(event) : purchaseKey(event)),
    );
  const voidableByKey = Map.groupBy(
    owed.filter(({ noun }) => noun === 'sale' || noun === 'refund'),
    (one) => ownKey(one),
  );
  const salesByNumber = Map.groupBy(
    owed.filter(({ noun }) => noun === 'sale'),
    ({ event }) => numberName(event),
  );
  const [salesByKey, refundsByKey, countersByKey] = [byKey('sale'), byKey('refund'), byKey('counter')];
  const correctionsByKey = byKey('correction');
  const corrections = events.filter(({ kind }) => kind === 'purchase.corrected');
  const totalsByKey = new Map(
    [...Map.groupBy(corrections, (event) => purchaseKey(event))].map(([key, all]) => [
      key,
      all.map(({ data }) => at(data, 'total.minor')),
    ]),
  );
  const keyed = {
    totalsByKey,
    voidsByKey,
    salesByKey,
    salesByNumber,
    refundsByKey,
    countersByKey,
    voidableByKey,
    correctionsByKey,
  };
  return { owed, evidence, ...keyed };
}

const ownKey = ({ noun, event }: Owed): string =>
  noun === 'refund' ? refundKey(event, event.data) : purchaseKey(event);

function owedOf(event: Told, inSales: ReadonlyMap<string, bigint>): Owed[] {
  const noun = nouns[event.kind];
  const mapping = mappingOf(event);
  if (!noun || mapping === null || isNobodys(event)) return [];
  const data = event.corrected ?? event.data;
  const sign = mapping.sign ?? (takes.has(event.kind) ? -1 : 1);
  const units = unitsOwed(noun, event, inSales);
  if (units === undefined) return [];
  const amount = decimalOf(units * BigInt(sign), unitDigits);
  return [{ noun, event, mapping, amount, attributes: attributesOf(data, mapping), entries: [] }];
}

function unitsOwed(noun: Noun, event: Told, inSales: ReadonlyMap<string, bigint>): bigint | undefined {
  const data = event.corrected ?? event.data;
  if (noun === 'correction') return changeIn(data);
  const units = unitsIn(data, 'total');
  return units !== undefined && noun === 'sale' ? units + (inSales.get(purchaseKey(event)) ?? 0n) : units;
}

/** A refund of a sale that was never told, and of nobody, or of one without a card: nothing was given that could be taken. */
const isNobodys = ({ kind, member, isOfUnclaimed }: Told): boolean =>
  isOfUnclaimed === true || (['purchase.refunded', 'purchase.corrected'].includes(kind) && member === '');

const unitDigits = 8;

/** Minor / 10^digits of an amount, in units that every currency has; exact. */
function unitsIn(data: JsonObject, name: 'total' | 'previousTotal'): bigint | undefined {
  const [minor, currency] = [at(data, `${name}.minor`), textOf(at(data, `${name}.currency`))];
  if (typeof minor !== 'number' || !Number.isSafeInteger(minor) || currency === undefined) return undefined;
  const digits = Number(at(data, `${name}.digits`) ?? isoDigits(currency));
  return BigInt(minor) * 10n ** BigInt(unitDigits - digits);
}

/** By how much a correction changes the total of its sale. */
function changeIn(data: JsonObject): bigint | undefined {
  const [before, after] = [unitsIn(data, 'previousTotal'), unitsIn(data, 'total')];
  return before === undefined || after === undefined ? undefined : after - before;
}

/**
 * By sale, by how much corrections have changed what it is sent by: they stand as cancelled, for the sale says it itself. What a
 * person has said of the sale since is of all of it.
 */
function changesInSales(events: readonly Told[], evidence: Evidence): ReadonlyMap<string, bigint> {
  const changes = new Map<string, bigint>();
  const said = saidByPeople(events, evidence);
  for (const event of events) {
    const key = purchaseKey(event);
    const isIn = event.kind === 'purchase.corrected' && isInSale(event, said.get(key) ?? -Infinity, evidence);
    const change = isIn ? changeIn(event.data) : undefined;
    if (change !== undefined) changes.set(key, (changes.get(key) ?? 0n) + change);
  }
  return changes;
}

/** When a person has last corrected what a sale is of, by the sale's key. */
function saidByPeople(events: readonly Told[], evidence: Evidence): ReadonlyMap<string, number> {
  return new Map(
    events.flatMap((event) => {
      if (event.kind !== 'purchase.completed') return [];
      const said = evidence.corrections(event.place);
      const totals = [event.data, ...said.map(({ data }) => data ?? {})].map((data) => unitsIn(data, 'total'));
      const last = said.findLast((_one, index) => totals[index + 1] !== totals[index]);
      return last?.atMs === undefined ? [] : [[purchaseKey(event), last.atMs]];
    }),
  );
}

const isInSale = ({ place }: Told, afterMs: number, evidence: Evidence): boolean =>
  evidence.undone(place).some(({ list, reason, sinceMs = Infinity }) => {
    return list === 'cancelled' && reason === 'corrected' && sinceMs > afterMs;
  });

/** What the program does not say how to send stands in a list, where the sale does not say it itself. */
function judgeUnmapped(event: Told, evidence: Evidence): void {
  if (event.kind !== 'purchase.corrected' || mappingOf(event) !== null || isNobodys(event)) return;
  if (changeIn(event.data) === 0n || evidence.undone(event.place).length > 0) return;
  if (evidence.isErased(event) || evidence.isDecided(event.place)) return;
  evidence.find('correction-missing', event, 'not mapped, and in no list', event.place);
}

/** What an owed transaction and an entry have in common, if one is the other. None: not comparable that way. */
interface Likeness {
  readonly ofOwed: (owed: Owed) => readonly string[];
  readonly ofEntry: (entry: LedgerEntry, seen: SeenEntry) => readonly string[];
  /** Whether an owed transaction may get a second entry that way. */
  readonly finds: 'all' | 'missing';
}

interface SeenEntry {
  readonly owner: string | undefined;
  readonly uniqueAttributes: readonly string[];
}

const whereOf = ({ event: { terms }, mapping }: Owed): readonly unknown[] => [
  String(terms.brandId),
  String(terms.programId),
  String(mapping.transactionTypeId),
];
const whereIs = ({ brandId, programId, targetId }: LedgerEntry): readonly unknown[] => [brandId, programId, targetId];
const attributesIn = (entry: LedgerEntry): string => canonical(asText(objectOf(entry.body?.['attributes'])));

function asText(attributes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, textOf(value) ?? value]));
}

/** The surest first: the value that is unique, then all of it, then all but the member, then member and date. */
const likenesses: readonly Likeness[] = [
  {
    finds: 'all',
    ofOwed: (owed) => {
      const name = owed.mapping.uniqueAttribute;
      if (name === undefined) return [];
      return [canonical([...whereOf(owed), name, textOf(owed.attributes[name])])];
    },
    ofEntry: (entry, { uniqueAttributes }) =>
      uniqueAttributes.map((name) =>
        canonical([...whereIs(entry), name, textOf(objectOf(entry.body?.['attributes'])[name])]),
      ),
  },
  {
    finds: 'all',
    ofOwed: (owed) =>
      owed.event.timesMs.map((ms) =>
        canonical([...whereOf(owed), owed.event.member, owed.amount, ms, canonical(asText(owed.attributes))]),
      ),
    ofEntry: (entry, { owner }) => [
      canonical([
        ...whereIs(entry),
        owner,
        decimal(entry.body?.['amount']),
        sentTimeOf(entry.body?.['transactionDate']),
        attributesIn(entry),
      ]),
    ],
  },
  // A void takes what refunds have left, perhaps another amount than it names; that, too, may be there twice.
  {
    finds: 'all',
    ofOwed: (owed) => {
      if (owed.noun !== 'counter') return [];
      const { member, timesMs } = owed.event;
      return timesMs.map((ms) => canonical([...whereOf(owed), member, ms, canonical(asText(owed.attributes))]));
    },
    ofEntry: (entry, { owner }) => [
      canonical([...whereIs(entry), owner, sentTimeOf(entry.body?.['transactionDate']), attributesIn(entry)]),
    ],
  },
  {
    finds: 'missing',
    ofOwed: (owed) =>
      owed.event.timesMs.map((ms) => canonical([...whereOf(owed), ms, canonical(asText(owed.attributes))])),
    ofEntry: (entry) => [
      canonical([...whereIs(entry), sentTimeOf(entry.body?.['transactionDate']), attributesIn(entry)]),
    ],
  },
  {
    finds: 'missing',
    ofOwed: (owed) => owed.event.timesMs.map((ms) => canonical([...whereOf(owed), owed.event.member, ms])),
    ofEntry: (entry, { owner }) => [canonical([...whereIs(entry), owner, sentTimeOf(entry.body?.['transactionDate'])])],
  },
];

/** Gives each owed transaction its entries; answers those that are nobody's. */
function match(owed: readonly Owed[], evidence: Evidence): readonly LedgerEntry[] {
  const terms = Object.values(evidence.given.programs.programs);
  const mappings = terms.flatMap((program) => Object.values(program.purchases ?? {}));
  const uniqueAttributes = [...new Set(mappings.flatMap((mapping) => mapping?.uniqueAttribute ?? []))];
  let left = [...new Set(terms.flatMap((program) => evidence.ledger(program, 'transaction')))].filter((entry) => {
    if (evidence.isOthers(entry)) evidence.count('somebody-elses-effect');
    return !evidence.isOthers(entry);
  });
  const buyers = new Set(
    owed
      .filter(({ noun }) => noun === 'sale' || noun === 'refund')
      .map((one) => canonical([ownKey(one), one.event.member])),
  );
  /** Of voids that are alike, one whose sale is another one's, or nobody's, takes nothing from this owner. */
  const isBaseless = ({ noun, event }: Owed, owner: string | undefined): boolean =>
    noun === 'counter' && !buyers.has(canonical([voidedKey(event), owner]));
  for (const { finds, ofOwed, ofEntry } of likenesses) {
    const named = owed.flatMap((one) => ofOwed(one).map((name) => ({ name, one })));
    const byName = Map.groupBy(named, ({ name }) => name);
    left = left.filter((entry) => {
      const owner = terms.map((program) => evidence.ownerOf(entry.passId, program)).find((name) => name !== undefined);
      const alike = ofEntry(entry, { owner, uniqueAttributes }).flatMap((name) => byName.get(name) ?? []);
      const [taker] = alike
        .map(({ one }) => one)
        .filter(({ entries }) => finds === 'all' || entries.length === 0)
        .sort(
          (a, b) =>
            a.entries.length - b.entries.length ||
            Number(isBaseless(a, owner)) - Number(isBaseless(b, owner)) ||
            difference(a, entry, owner) - difference(b, entry, owner),
        );
      taker?.entries.push(entry);
      return !taker;
    });
  }
  return left;
}

const difference = (owed: Owed, entry: LedgerEntry, owner: string | undefined): number =>
  (owed.event.member === owner ? 0 : 2) + (decimal(entry.body?.['amount']) === owed.amount ? 0 : 1);

function judgeHowOften(owed: Owed, till: Till): void {
  const { noun, event, entries } = owed;
  if (noun === 'counter') judgeCounter(owed, till);
  else if (entries.length === 0 && !isExcused(owed, till)) {
    till.evidence.find(`${noun}-missing`, event, `${owed.amount}, in no list`, event.place);
  }
  if (isTooOften(owed, till)) {
    const seqs = entries.map(({ seq }) => seq).join(', ');
    till.evidence.find(`${noun}-twice`, event, `ledger ${seqs}`, event.place);
  }
}

function isTooOften(owed: Owed, till: Till): boolean {
  const { noun, event, entries } = owed;
  const counters = noun === 'counter' ? (till.countersByKey.get(voidedKey(event)) ?? []) : [];
  const all = noun === 'counter' ? counters.flatMap((one) => one.entries) : entries;
  const calls = till.evidence.withoutPartnersOwn(all);
  if (calls.length <= 1 || (noun === 'counter' && counters[0] !== owed)) return false;
  const bucket = whyTwice(owed, calls, till.evidence);
  if (bucket) till.evidence.count(bucket);
  return bucket === undefined;
}

function whyTwice({ event, mapping }: Owed, calls: readonly LedgerEntry[], evidence: Evidence): Bucket | undefined {
  if (evidence.isDecided(event.place)) return 'operator-decided';
  if (calls.filter((entry) => !evidence.isLate(entry, event.terms)).length <= 1) return 'partner-applied-late';
  if (mapping.uniqueEnforced === true) {
    return evidence.given.partner.breaksUniqueness === true ? 'partner-broke-uniqueness' : undefined;
  }
  return event.terms.onUnknown?.['transaction'] === 'resend' ? 'resent-as-asked' : undefined;
}

function isExcused(owed: Owed, till: Till): boolean {
  const { event } = owed;
  const { evidence } = till;
  if (evidence.undone(event.place).length > 0) return true;
  if (isVoided(owed, till) && !isTakenByOthers(owed, evidence)) return true;
  const bucket = evidence.isDecided(event.place)
    ? 'operator-decided'
    : evidence.isErased(event)
      ? 'erased'
      : othersBucket(owed, evidence);
  if (bucket) evidence.count(bucket);
  if (bucket?.startsWith('somebody-elses')) evidence.explain([event.place]);
  return bucket !== undefined;
}

const isVoided = (owed: Owed, till: Till): boolean =>
  (owed.noun === 'sale' || owed.noun === 'refund') &&
  (till.voidsByKey.get(ownKey(owed)) ?? []).some((one) => isItsVoid(one, owed, till));

function othersBucket(owed: Owed, evidence: Evidence): Bucket | undefined {
  if (isTakenByOthers(owed, evidence)) return 'somebody-elses-receipt';
  return isProbed(owed) && evidence.othersMovedPoints(owed.event) ? 'somebody-elses-points' : undefined;
}

/** Settled by the points of the pass where its outcome is in doubt. */
const isProbed = ({ event, mapping }: Owed): boolean =>
  event.terms.onUnknown?.['transaction'] === 'probe' && mapping.pointsDelta !== undefined;

/** Another system used the value first: the partner then refuses ours, and that looks like our own lost attempt. */
function isTakenByOthers({ event, mapping, attributes }: Owed, evidence: Evidence): boolean {
  const name = mapping.uniqueAttribute;
  if (name === undefined) return false;
  return evidence
    .others(event.terms, 'transaction')
    .some(
      (entry) =>
        entry.targetId === String(mapping.transactionTypeId) &&
        textOf(objectOf(entry.body?.['attributes'])[name]) === textOf(attributes[name]),
    );
}

/** A void that names another member or total, or is older, is not taken for the purchase's own; one that names no member is. */
function isItsVoid(one: Told, { event }: Owed, { totalsByKey }: Pick<Till, 'totalsByKey'>): boolean {
  const totals = [at(event.data, 'total.minor'), ...(totalsByKey.get(purchaseKey(one)) ?? [])];
  const isSameTotal = !isObject(one.data['total']) || totals.includes(at(one.data, 'total.minor'));
  return ['', event.member].includes(one.named) && isSameTotal && one.timeMs >= event.timeMs;
}

/** All voids of a purchase are one counter-entry, whichever of them it carries. */
function judgeCounter(owed: Owed, till: Till): void {
  const { voidableByKey, countersByKey, evidence } = till;
  const { event } = owed;
  const counters = countersByKey.get(voidedKey(event)) ?? [];
  if (counters[0]?.event !== event || evidence.isErased(event)) return;
  const sales = voidableByKey.get(voidedKey(event)) ?? [];
  const places = [...counters, ...sales].map((one) => one.event.place);
  if (isPosted(counters) === isPosted(sales) || places.some((place) => evidence.isDecided(place))) return;
  if (isPosted(counters)) judgeBaselessCounter(owed, sales, evidence);
  else if (!places.some((place) => evidence.undone(place).length > 0)) judgeMissingCounter(owed, till);
}

/** The sale may have been proved by what somebody else did. */
function judgeBaselessCounter({ event, amount }: Owed, sales: readonly Owed[], evidence: Evidence): void {
  const bucket = sales.map((sale) => othersBucket(sale, evidence)).find(Boolean);
  if (bucket === undefined) evidence.find('counter-without-sale', event, `${amount} is there`, event.place);
  else {
    evidence.count(bucket);
    evidence.explain(sales.map((sale) => sale.event.place));
  }
}

function judgeMissingCounter(owed: Owed, till: Till): void {
  const { event, amount } = owed;
  const { evidence } = till;
  // Its refunds have left nothing to take.
  if (event.kind === 'purchase.voided' && broughtBack(purchaseKey(event), till).units >= unitsOf(amount)) return;
  const bucket = othersBucket(owed, evidence);
  if (bucket === undefined) evidence.find('counter-missing', event, `${amount}, in no list`, event.place);
  else {
    evidence.count(bucket);
    evidence.explain([event.place]);
  }
}

const isPosted = (owed: readonly Owed[]): boolean => owed.some(({ entries }) => entries.length > 0);

function judgeAmount(owed: Owed, there: string | undefined, till: Till): void {
  const { noun, event, amount } = owed;
  if (there === amount || isRestOf(owed, there, till)) return;
  const isSign = noun === 'refund' && there === negated(amount);
  const said = `${canonical(amount)} was told`;
  if (isSign) till.evidence.find('refund-sign', event, said, event.place);
  else till.evidence.find(`${noun}-amount`, event, `${said}, ${canonical(there)} is there`, event.place);
}

function judgeAsTold(owed: Owed, entry: LedgerEntry, till: Till): void {
  const { noun, event, attributes } = owed;
  const { evidence } = till;
  const find = (what: 'member' | 'date' | 'attributes', told: unknown, there: unknown): void =>
    evidence.find(`${noun}-${what}`, event, `${canonical(told)} was told, ${canonical(there)} is there`, event.place);
  judgeAmount(owed, decimal(entry.body?.['amount']), till);
  const owner = evidence.ownerOf(entry.passId, event.terms);
  if (owner !== event.member) find('member', event.member, owner);
  if (!event.timesMs.includes(sentTimeOf(entry.body?.['transactionDate']))) {
    find('date', event.timeMs, entry.body?.['transactionDate']);
  }
  if (attributesIn(entry) !== canonical(asText(attributes))) find('attributes', attributes, entry.body?.['attributes']);
  judgeDigits(event, evidence);
}

/** Whether a void took what refunds of its sale had left, as far as somebody told of any: `over-refund` says when that was more. */
function isRestOf(
  { noun, event, amount }: Owed,
  there: string | undefined,
  { refundsByKey, correctionsByKey }: Till,
): boolean {
  if (noun !== 'counter' || there === undefined) return false;
  if (!refundsByKey.has(purchaseKey(event)) && !correctionsByKey.has(purchaseKey(event))) return false;
  return there.startsWith('-') === amount.startsWith('-') && unitsOf(there) < unitsOf(amount);
}

const negated = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

function judgeDigits(event: Told, evidence: Evidence): void {
  const [digits, currency] = [at(event.data, 'total.digits'), textOf(at(event.data, 'total.currency'))];
  if (digits === undefined || currency === undefined) return;
  if (digits !== isoDigits(currency) && digits !== event.terms.currencyDigits) {
    evidence.find('digits-taken', event, `${canonical(digits)} digits of ${currency}`, event.place);
  }
}

/**
 * What came back of a receipt: its refunds and its counter-entries as they are there, less what corrections have added to it; and who
 * asked for them.
 */
function broughtBack(
  key: string,
  { refundsByKey, countersByKey, correctionsByKey }: Till,
): { units: bigint; places: string[] } {
  const corrections = correctionsByKey.get(key) ?? [];
  const back = [...(refundsByKey.get(key) ?? []), ...(countersByKey.get(key) ?? [])];
  // What is there twice is judged for itself.
  const sumOf = (all: readonly Owed[]): bigint =>
    all
      .flatMap((one) => one.entries.slice(0, 1))
      .reduce((sum, { body }) => sum + unitsOf(decimal(body?.['amount']) ?? '0'), 0n);
  const given = back.flatMap((one) => (one.noun === 'refund' ? (countersByKey.get(ownKey(one)) ?? []) : []));
  const [raised = [], lowered = []] = [false, true].map((isLowered) =>
    corrections.filter(({ amount }) => amount.startsWith('-') === isLowered),
  );
  const units = sumOf(back) - sumOf(given) + sumOf(lowered) - sumOf(raised);
  return { units, places: [...back, ...corrections].map(({ event }) => event.place) };
}

/** Of a receipt not more comes back than was paid. */
function judgeReceipt(sales: readonly Owed[], till: Till): void {
  const [sale] = sales;
  if (sale === undefined || sales.length > 1 || sale.entries.length !== 1) return;
  const { event, amount } = sale;
  const { evidence } = till;
  const { units, places } = broughtBack(purchaseKey(event), till);
  if ([event.place, ...places].some((place) => evidence.isDecided(place))) return;
  judgeRest(sale, units, till);
  judgeWaitingVoid(sale, till);
  if (units <= unitsOf(amount) || isAllUnknown(sale, till)) return;
  evidence.find('over-refund', event, `${amount} was paid`, event.place);
}

/** A void that came too late has taken all that was left, where nothing of the receipt is still open or was refused. */
function judgeRest({ event, amount }: Owed, back: bigint, till: Till): void {
  const { refundsByKey, correctionsByKey, countersByKey, evidence } = till;
  const key = purchaseKey(event);
  const [counter, ...others] = (countersByKey.get(key) ?? []).filter(({ entries }) => entries.length > 0);
  if (counter === undefined || others.length > 0 || back >= unitsOf(amount)) return;
  const rest = [...(refundsByKey.get(key) ?? []), ...(correctionsByKey.get(key) ?? [])];
  if (!rest.every((one) => isPlain(one, till)) || counter.event.corrected !== undefined) return;
  const said = `${decimalOf(back, unitDigits)} of ${amount} has come back`;
  evidence.find('counter-amount', counter.event, said, counter.event.place);
}

/** What it did to its receipt is known: it is there, or took nothing. */
const isPlain = (one: Owed, till: Till): boolean =>
  !isVoided(one, till) && (one.entries.length > 0 || till.evidence.undone(one.event.place).some(isOutOfAccount));

/** A void that came too late beside an open return waits for that, and for nobody: once all of them are known it is there, too. */
function judgeWaitingVoid(sale: Owed, till: Till): void {
  const { refundsByKey, correctionsByKey, countersByKey, asideByKey: aside } = till;
  const key = purchaseKey(sale.event);
  const [counter, ...others] = countersByKey.get(key) ?? [];
  const rest = [...(refundsByKey.get(key) ?? []), ...(correctionsByKey.get(key) ?? [])];
  if (counter === undefined || others.length > 0 || rest.length === 0 || aside.has(key)) return;
  const isKnown = (one: Owed): boolean => isPlain(one, till) && !till.evidence.undone(one.event.place).some(isInDoubt);
  if (!waitsForPerson(counter, sale, till) || !rest.every(isKnown)) return;
  till.evidence.find('counter-waiting', counter.event, `${rest.length} returns of it are known`, counter.event.place);
}

const waitsForPerson = ({ event, entries }: Owed, sale: Owed, till: Till): boolean =>
  entries.length === 0 &&
  !till.evidence.isErased(event) &&
  isItsVoid(event, sale, till) &&
  till.evidence.undone(event.place).some(({ reason }) => reason === 'conflict');

/** It may stand at the partner: whoever sent it does not know. */
const isInDoubt = ({ reason }: ListEntry): boolean => reason === 'unknown-outcome';

const isOutOfAccount = ({ reason }: ListEntry): boolean => reason === 'over-refund' || reason === 'corrected';

/** Before anybody knew what was paid each return is posted as it says, where the program says so. */
const isAllUnknown = ({ event }: Owed, { refundsByKey }: Till): boolean =>
  event.terms.refundUnknown === 'post' &&
  (refundsByKey.get(purchaseKey(event)) ?? []).every(
    (refund) => refund.entries.length === 0 || !isKnownBefore(event, refund.event),
  );

/** A decimal without its sign, as an integer: exact. */
function unitsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  return BigInt(whole + fraction.padEnd(unitDigits, '0').slice(0, unitDigits));
}

/** Once voided in time, never there. */
function judgeVoids(owed: Owed, till: Till): void {
  const { voidsByKey, evidence } = till;
  const { noun, event, entries } = owed;
  const effects = entries.filter((entry) => !evidence.isLate(entry, event.terms));
  if (effects.length === 0 || evidence.isDecided(event.place)) return;
  const inTime = (voidsByKey.get(ownKey(owed)) ?? []).find((one) => isInTime(one, owed, { effects, till }));
  if (inTime) {
    evidence.find(
      noun === 'refund' ? 'refund-though-voided' : 'sale-though-voided',
      event,
      `voided by ${inTime.place}`,
      event.place,
    );
  }
}

interface Effects {
  readonly effects: readonly LedgerEntry[];
  readonly till: Till;
}

/**
 * Told before its purchase, or read before that was taken in: where they disagree about member or total, a person must
 * look first. Or read well before a call for it arrived.
 */
function isInTime(one: Told, owed: Owed, { effects, till }: Effects): boolean {
  const { evidence } = till;
  const { event } = owed;
  const { readByMs } = one.record;
  if (isToldBefore(one, event, evidence)) return true;
  if (readByMs === undefined) return false;
  const untilMs = readByMs + inFlightMs(event.terms);
  if (isAfter(takenInMs(event, evidence), readByMs)) return true;
  return isItsVoid(one, owed, till) && effects.some((effect) => isAfter(effect.arrivedAtMs, untilMs));
}

const isAfter = (ms: number | undefined, beforeMs: number): boolean => ms !== undefined && ms > beforeMs;

/** When an operator took it in from quarantine. */
export const takenInMs = (event: Told, evidence: Evidence): number | undefined =>
  event.resubmitted ? evidence.acts(event.place).findLast(({ act }) => act === 'resubmit')?.atMs : undefined;

/** A refund gives back what was paid, a correction changes it: not before its sale, and not without it. */
function judgeRefund(refund: Owed, till: Till): void {
  const { event, entries, amount, noun } = refund;
  const { evidence } = till;
  const [first] = entries;
  if (!first || evidence.isDecided(event.place)) return;
  const sales = salesOf(refund, till);
  const [sale] = sales;
  // One that may have been read after its refund was not known when that was sent.
  if (sale && sales.every((one) => isKnownBefore(one.event, event) && isTakenBack(one, till))) {
    const rule = noun === 'correction' ? 'correction-without-sale' : 'refund-without-sale';
    evidence.find(rule, event, `${amount} is there, ${sale.event.place} is not`, event.place);
  }
  const late = sales.find((one) => isBefore(first, one, event, evidence));
  const early = noun === 'correction' ? 'correction-before-sale' : 'refund-before-sale';
  if (late) evidence.find(early, event, `ledger ${first.seq} is before its sale`, event.place);
}

const asideByKey = (told: readonly Told[], evidence: Evidence): ReadonlyMap<string, readonly Told[]> =>
  Map.groupBy(
    told.filter((event) => event.kind === 'purchase.completed' && isOpenConflict(event, evidence)),
    (event) => purchaseKey(event),
  );

const isOpenConflict = (event: Told, evidence: Evidence): boolean =>
  !evidence.isErased(event) &&
  evidence.lists(event.place).some(({ list, reason, dealtWith }) => {
    return list === 'quarantined' && reason === 'conflict' && !dealtWith;
  });

/** While somebody else's sale of a number stands in quarantine, what takes back under it must name whom it is taken from. */
function judgeNumber(owed: Owed, till: Till): void {
  const { event, amount } = owed;
  const { asideByKey: aside, evidence } = till;
  if (owed.entries.length === 0 || evidence.isDecided(event.place) || !takesUnnamed(owed, till)) return;
  const other = (aside.get(purchaseKey(event)) ?? []).find(
    (sale) => sale.named !== event.member && isKnownBefore(sale, event),
  );
  if (other === undefined) return;
  evidence.find('taken-from-another', event, `${amount}, and ${other.place} stands in quarantine`, event.place);
}

/** Which of several voids it was that took a sale back nobody sees. */
function takesUnnamed({ noun, event }: Owed, { countersByKey }: Till): boolean {
  if (noun === 'sale' || event.kind === 'refund.voided') return false;
  if ([event.member, event.absorbed].includes(event.named)) return false;
  return noun !== 'counter' || countersByKey.get(purchaseKey(event))?.length === 1;
}

function isBefore(refunded: LedgerEntry, sale: Owed, event: Told, evidence: Evidence): boolean {
  const [sold] = sale.entries;
  if (!sold || sold.seq < refunded.seq || !mustWaitFor(sale.event, event)) return false;
  if (evidence.hasCopies(event.place)) return false;
  return !evidence.isLate(sold, event.terms) && !evidence.isDecided(sale.event.place);
}

const mustWaitFor = (sold: Told, returned: Told): boolean => sold.lane === returned.lane && sold.rank < returned.rank;

/** By the full key; a return in another shop by number and member. */
const salesOf = ({ event }: Owed, { salesByKey, salesByNumber }: Till): readonly Owed[] =>
  salesByKey.get(purchaseKey(event)) ??
  (event.terms.refundUnknown === 'post' ? undefined : salesByNumber.get(numberName(event))) ??
  [];

const numberName = ({ program, member, data }: Told): string => canonical([program, member, data['purchaseId']]);

function isTakenBack(sale: Owed, till: Till): boolean {
  const { voidsByKey, evidence } = till;
  if (sale.entries.length > 0 || isTakenByOthers(sale, evidence)) return false;
  const isCancelled = evidence.undone(sale.event.place).some(({ list }) => list === 'cancelled');
  return isCancelled || (voidsByKey.get(purchaseKey(sale.event)) ?? []).some((one) => isItsVoid(one, sale, till));
}
