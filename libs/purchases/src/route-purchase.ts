import { type Program, type TransactionMapping, pathsOf } from '#contracts';
import {
  type Mapped,
  type Money,
  type Routing,
  amountText,
  compact,
  currencyDigits,
  intentOf,
  isScalar,
  lateAs,
  mapAttributes,
  offsetOf,
  parkedIntentOf,
  referenceOf,
  keyParts,
  valueAt,
  withOwnNumber,
} from '#events/core';
import {
  type AnonymousReceipt,
  type BusinessKey,
  type IntentFacts,
  type OfTotal,
  type RoutedIntent,
  type RouteResult,
  type TakenBack,
  type TransactionCommand,
  ignored,
  nobody,
  quarantine,
  routed,
  type JsonValue,
  canonicalJson,
  changeOf,
} from '#intents/core';
import { attributesOfTotal } from './attributes-of-total.js';
import type { Completed, Corrected, Refunded, Voided } from './purchase-events.js';

type Purchase = Completed | Refunded | Voided | Corrected;

/** A purchase is a transaction (4.7), or ignored where the file says `none`; not configured is unroutable. */
export function routeCompleted(routing: Routing<Completed>): RouteResult {
  const mapping = routing.program.purchases.completed;
  if (doesNotCount(routing)) return ignored('does-not-count');
  if (mapping === null) return quarantine('unroutable', 'purchases.completed: not configured');
  if (mapping.via === 'none') return ignored('not-mapped');
  return transactionRoute(routing, mapping, {
    key: purchaseKeyOf(routing, 'purchase'),
    content: saleContent(routing, mapping),
  });
}

/** A sale without a card is remembered as far as it could be sold to somebody who claims it, and taken back. */
export function anonymousReceipt(routing: Routing<Completed>): AnonymousReceipt | null {
  const { event, program } = routing;
  const { anonymousReceiptDays: days } = program;
  const { total, program: name } = event.data;
  const isOurs = days > 0 && program.purchases.completed?.via === 'transaction' && !doesNotCount(routing);
  if (!isOurs || event.timeMs < program.notBefore) return null;
  if (total.currency !== program.currency || wrongDigits(total, program) !== null) return null;
  const key = purchaseKeyOf(routing, 'purchase');
  const sold = { program: name, amount: amountText(total, 1), soldAt: event.timeMs, days };
  return key.ok ? { ...sold, key: key.value } : null;
}

/** A refund is a transaction behind its purchase. */
export function routeRefunded(routing: Routing<Refunded>): RouteResult {
  const mapping = routing.program.purchases.refunded;
  if (doesNotCount(routing)) return ignored('does-not-count');
  if (mapping === null) return quarantine('unroutable', 'purchases.refunded: not configured');
  if (mapping.via === 'none') return ignored('not-mapped');
  const purchase = originalKeyOf(routing, 'purchase');
  if (!purchase.ok) return unnamed(routing, purchase);
  const identity = { key: refundKeyOf(routing), content: saleContent(routing, mapping) };
  const route = transactionRoute(routing, mapping, { ...identity, ofReceipt: takingBack(routing, purchase.value) });
  const { returnId, total } = routing.event.data;
  if (route.kind !== 'routed' || !returnId) return route;
  const key = { scope: 'return', parts: [returnId], perGeneration: false } as const;
  const alias = { key, content: canonicalJson([[...purchase.value.parts], totalText(total)]) };
  return routed(route.intents.map((intent) => ({ ...intent, alias })));
}

/**
 * A void cancels its purchase; too late for that, it is a transaction of its own, or nothing. Its purchase's key alone is
 * needed for that: it may name no member.
 */
export function routeVoided(routing: Routing<Voided>): RouteResult {
  const { event, memberId, program } = routing;
  if (doesNotCount(routing)) return ignored('does-not-count');
  if (event.data.original?.refundId) return routeRefundVoided(routing);
  const target = originalKeyOf(routing, 'purchase');
  if (!target.ok) return unnamed(routing, target);
  const { program: name, total } = event.data;
  const said = { program: name, memberId, target: target.value, ...(total && { total: totalText(total) }) };
  const cancel = { ...said, reason: 'voided' } as const;
  const mapping = program.purchases.voided;
  const ofReceipt = takingBack(routing, target.value);
  const identity = { key: originalKeyOf(routing, 'void'), content: voidContent(routing), ofReceipt };
  const route = mapping.via === 'none' ? lateVoid(routing, identity) : transactionRoute(routing, mapping, identity);
  if (route.kind !== 'routed') return route;
  return routed([], [{ ...cancel, ...lateAs(routing, route.intents[0] ?? null) }]);
}

/** A refund that was rung up by mistake: it is cancelled, or, too late for that, given back as mapped. */
function routeRefundVoided(routing: Routing<Voided>): RouteResult {
  const { event, memberId, program } = routing;
  const number = { ownNumber: 'refundId', within: ['original'] } as const;
  const target = tillKey(routing, { scope: 'refund', ...number });
  if (!target.ok) return unnamed(routing, target);
  const { program: name, total } = event.data;
  const mapping = program.purchases.refundVoided;
  const identity = { key: tillKey(routing, { scope: 'refund-void', ...number }), content: voidContent(routing) };
  const waitsFor = target.value;
  const route =
    mapping.via === 'none'
      ? lateVoid(routing, { ...identity, waitsFor })
      : transactionRoute(routing, mapping, { ...identity, waitsFor });
  if (route.kind !== 'routed') return route;
  const said = { program: name, memberId, target: target.value, ...(total && { total: totalText(total) }) };
  return routed([], [{ ...said, reason: 'voided', ...lateAs(routing, route.intents[0] ?? null) }]);
}

/**
 * A correction is by how much the total of its sale changed. Where nothing of that has left the sale itself says so; which of
 * the two is known only when it is recorded.
 */
export function routeCorrected(routing: Routing<Corrected>): RouteResult {
  const { completed, corrected: mapping } = routing.program.purchases;
  if (doesNotCount(routing)) return ignored('does-not-count');
  if (completed?.via === 'none') return ignored('not-mapped');
  const refused = wrongMoney(routing, 'previousTotal') ?? wrongMoney(routing, 'total');
  if (refused !== null) return refused;
  const sale = originalKeyOf(routing, 'purchase');
  return sale.ok ? correctionRoute(routing, mapping, sale.value) : unnamed(routing, sale);
}

function correctionRoute(
  routing: Routing<Corrected>,
  mapping: Program['purchases']['corrected'],
  sale: BusinessKey,
): RouteResult {
  const { total, previousTotal } = routing.event.data;
  const corrects = { previous: amountText(previousTotal, 1), total: amountText(total, 1) };
  const change = changeOf(corrects);
  if (!/[1-9]/.test(change)) return ignored('nothing-changed');
  const key = tillKey(routing, { scope: 'correction', ownNumber: 'correctionId' });
  if (!key.ok) return quarantine('invalid', key.detail);
  // It is of a sale, whatever becomes of refunds of none.
  const ofReceipt = { ...takingBack(routing, sale), ifUnknown: 'park' } as const;
  const more: Partial<RoutedIntent> = {
    businessKey: key.value,
    businessContent: saleContent(routing, mapping),
    waitsFor: sale,
    awaitsUnknown: true,
    ofReceipt,
    corrects,
    facts: { ...factsOf(routing, total), amount: change.replace('-', '') },
    total: `${change} ${total.currency}`,
  };
  if (mapping.via === 'none') {
    const detail = 'corrected: the sale may have been delivered, and the program does not say how to correct it';
    return routed([parkedIntentOf(routing, { reason: 'unroutable', detail }, { operation: 'transaction', ...more })]);
  }
  const before = { amount: corrects.previous, isLowered: change.startsWith('-') };
  const command = transactionCommand(routing, mapping, withSign(change, mapping.sign), before);
  return command.ok ? routed([intentOf(routing, command.value, more)]) : quarantine('invalid', command.detail);
}

const withSign = (change: string, sign: 1 | -1): string => {
  const [amount, isNegative] = [change.replace('-', ''), change.startsWith('-')];
  return isNegative === (sign === 1) ? `-${amount}` : amount;
};

/** Too late, and no call can carry it: it stands in a list with its amount. */
function lateVoid(routing: Routing<Voided>, identity: TransactionIdentity): RouteResult {
  const { key, content, ofReceipt } = identity;
  if (!key.ok) return quarantine('invalid', key.detail);
  const { total = null } = routing.event.data;
  const what = ofReceipt === undefined ? 'the refund' : 'the sale';
  const detail = `voided: ${what} may have been delivered, and the program does not say how to take it back`;
  const intent = parkedIntentOf(
    routing,
    { reason: 'unroutable', detail },
    {
      operation: 'transaction',
      businessKey: key.value,
      businessContent: content,
      ...waits(identity),
      ...(ofReceipt && { ofReceipt }),
      facts: factsOf(routing, total),
      ...(total ? { total: totalText(total) } : {}),
    },
  );
  return routed([intent]);
}

function takingBack({ program }: Routing<Purchase>, key: BusinessKey): TakenBack {
  const { lookup, refundUnknown: ifUnknown, anonymousReceiptDays: rememberedDays } = program;
  return { key, isByEmail: lookup.by === 'email', ifUnknown, rememberedDays };
}

/** A till in training, a gift card, staff: what the program says of a receipt. `true` and `"true"` are the same. */
function doesNotCount({ event, program }: Routing<Purchase>): boolean {
  return program.ignoreReceipts.some(({ path, values }) => {
    const said = valueAt(event.data, path);
    return said !== undefined && isScalar(said) && values.some((value) => String(value) === String(said));
  });
}

function unnamed(
  routing: Routing<Refunded | Voided | Corrected>,
  { detail }: { readonly detail: string },
): RouteResult {
  return namesOnlyItsMembers(routing) ? ignored('no-member') : quarantine('invalid', detail);
}

/** Where the member is part of the key, whoever names none means a purchase that is nobody's. */
function namesOnlyItsMembers({ memberId, program }: Routing<Refunded | Voided | Corrected>): boolean {
  return memberId === nobody && program.purchaseKey.some((path) => path.length === 1 && path[0] === 'memberId');
}

/** What a transaction is known by under another event id, and what must be equal then. */
interface TransactionIdentity {
  readonly key: Mapped<BusinessKey>;
  readonly content: string;
  /** The sale that it takes back; absent: it takes none back. */
  readonly ofReceipt?: TakenBack;
  /** The refund that it takes back; absent: it takes none back. */
  readonly waitsFor?: BusinessKey;
}

function transactionRoute(
  routing: Routing<Purchase>,
  mapping: TransactionMapping,
  identity: TransactionIdentity,
): RouteResult {
  const { key, content, ofReceipt } = identity;
  const { total } = routing.event.data;
  if (!total) return quarantine('invalid', 'data.total: required');
  const refused = wrongMoney(routing, 'total');
  if (refused !== null) return refused;
  if (!key.ok) return quarantine('invalid', key.detail);
  const command = transactionCommand(routing, mapping, amountText(total, mapping.sign));
  if (!command.ok) return quarantine('invalid', command.detail);
  const intent = intentOf(routing, command.value, {
    businessKey: key.value,
    businessContent: content,
    ...waits(identity),
    ...(ofReceipt && { ofReceipt }),
    facts: factsOf(routing, total),
    total: totalText(total),
  });
  return routed([intent]);
}

/** Null: it is of the program's currency, in its digits. */
function wrongMoney(
  { event: { data }, program }: Routing<Purchase>,
  field: 'total' | 'previousTotal',
): RouteResult | null {
  const money = (data as Readonly<Record<string, unknown>>)[field] as Money;
  if (money.currency !== program.currency) {
    return quarantine('unroutable', `data.${field}.currency: not the program's currency`);
  }
  const digits = wrongDigits(money, program);
  return digits === null ? null : quarantine('invalid', `data.${field}.digits: ${digits}`);
}

/** A till that counts in cents and says that it counts in euros would sell at a hundred times the price. */
function wrongDigits({ currency, digits }: Money, { currencyDigits: declared }: Program): string | null {
  const usual = currencyDigits(currency);
  if (digits === undefined || digits === null || digits === usual || digits === declared) return null;
  return `${currency} has ${usual}; others need currencyDigits in the programs file`;
}

function transactionCommand(
  routing: Routing<Purchase>,
  mapping: TransactionMapping,
  amount: string,
  before?: OfTotal['before'],
): Mapped<TransactionCommand> {
  const { uniqueAttribute, uniqueEnforced, pointsDelta, transactionTypeId } = mapping;
  const { data, time, timeMs } = routing.event;
  const offset = offsetOf(time);
  const mapped = mapAttributes({ sources: mapping.attributes, data, time, uniqueAttribute });
  if (!mapped.ok) return mapped;
  const ofTotal = attributesOfTotal(mapping, data, before);
  const unique = uniqueAttribute === null ? undefined : mapped.value[uniqueAttribute];
  const value: TransactionCommand = {
    ...referenceOf(routing),
    operation: 'transaction',
    transactionTypeId,
    amount,
    transactionDate: new Date(timeMs).toISOString(),
    ...(offset === undefined ? {} : { offset }),
    attributes: mapped.value,
    ...(ofTotal && { ofTotal }),
    // It carries the purchase's own number (checkUniqueAttributes of #contracts), so it is text.
    ...(uniqueAttribute !== null && typeof unique === 'string'
      ? { uniqueAttribute: { name: uniqueAttribute, value: unique, enforced: uniqueEnforced } }
      : {}),
    ...(pointsDelta === null ? {} : { pointsDelta }),
  };
  return { ok: true, value };
}

/** A counter-entry must not overtake what it takes back; that of a void must not be sent where its purchase never is. */
function waits({
  ofReceipt,
  waitsFor = ofReceipt?.key,
}: TransactionIdentity): Pick<RoutedIntent, 'waitsFor' | 'awaitsUnknown'> {
  return waitsFor === undefined ? { waitsFor: null } : { waitsFor, awaitsUnknown: true };
}

function factsOf({ event: { data }, program }: Routing<Purchase>, total: Money | null): IntentFacts {
  return compact<IntentFacts>({
    storeId: data.storeId === null || data.storeId === '' ? undefined : data.storeId,
    purchaseId: data.purchaseId,
    amount: total === null ? undefined : amountText(total, 1),
    currency: total?.currency ?? program.currency ?? undefined,
  });
}

/**
 * Business keys (contracts.md section 1, Identity). The program's `purchaseKey` widens the till's number by what makes
 * it unique; for a refund or a grant its own number stands where `purchaseId` stands.
 */
function purchaseKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  return tillKey(routing, { scope, ownNumber: 'purchaseId' });
}

/**
 * The key of the purchase that a refund or void means, or that of its own void: as `data.original` names it, with every
 * part, else by the event's own data.
 */
function originalKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  const { data } = routing.event;
  const original = 'original' in data ? data.original : null;
  return typeof original === 'object' && original !== null
    ? tillKey(routing, { scope, ownNumber: 'purchaseId', within: ['original'] })
    : purchaseKeyOf(routing, scope);
}

/** Null: it cannot be read. */
export function saleNumberOf(routing: Routing<Completed>): BusinessKey | null {
  const key = purchaseKeyOf(routing, 'purchase');
  return key.ok ? key.value : null;
}

/** Null: it cannot be read. */
export function refundNumberOf(routing: Routing<Refunded>): BusinessKey | null {
  const key = refundKeyOf(routing);
  return key.ok ? key.value : null;
}

function refundKeyOf(routing: Routing): Mapped<BusinessKey> {
  return tillKey(routing, { scope: 'refund', ownNumber: 'refundId' });
}

interface TillKey {
  readonly scope: BusinessKey['scope'];
  readonly ownNumber: string;
  /** Where in the data its parts are; absent: in the data itself. */
  readonly within?: readonly string[];
}

function tillKey({ event, program }: Routing, { scope, ownNumber, within = [] }: TillKey): Mapped<BusinessKey> {
  const paths = program.purchaseKey.map((path) => [...within, ...withOwnNumber(path, ownNumber)]);
  const parts = keyParts(event.data, paths, 'purchaseKey');
  return parts.ok ? { ok: true, value: { scope, parts: parts.value, perGeneration: false } } : parts;
}

/** What is compared of a total, between what takes back and its purchase as between repetitions. */
function totalText(total: Money): string {
  return `${amountText(total, 1)} ${total.currency}`;
}

/** A till's ways to say that there is none are one. */
const orNull = (value: JsonValue | undefined): JsonValue => (value === undefined || value === '' ? null : value);

/**
 * What must be equal when an event's `source` and `id` come again: what the receipt is judged by. A field more, or one that
 * is only written otherwise, makes no other event. Its time is not among it: a till that sends again may say when it did so.
 */
export function judgedContent({ data }: { readonly data: Purchase['data'] }): JsonValue {
  const { program, memberId, purchaseId, storeId, total } = data;
  const refundId = 'refundId' in data ? (data.refundId as string) : null;
  const correction = 'correctionId' in data ? correctionContent(data as Corrected['data']) : [];
  const original = 'original' in data ? data.original : null;
  return [
    program,
    orNull(memberId),
    purchaseId,
    refundId,
    orNull(storeId),
    total ? totalText(total) : null,
    (original ?? null) as JsonValue,
    ...correction,
  ];
}

const correctionContent = ({ correctionId, previousTotal }: Corrected['data']): JsonValue[] => [
  correctionId,
  totalText(previousTotal),
];

/**
 * What must be equal when the number of a sale or refund comes under another event id, so that it is the same told again:
 * member, total, store, time, and what the program maps. Anything else is for a person: perhaps another sale under a number
 * used twice. Holds personal values.
 */
export function saleContent(
  { event, memberId }: Routing<Purchase>,
  mapping: Program['purchases']['corrected'],
): string {
  const mapped: Record<string, JsonValue> = {};
  for (const [name, path] of mappedPaths(mapping)) mapped[name] = orNull(valueAt(event.data, path));
  const judged = judgedContent(event);
  const of = memberId === nobody ? null : memberId;
  return canonicalJson([of, judged, event.timeMs, mapped]);
}

type MappedPaths = ReadonlyMap<string, readonly string[]>;

/** They change with the file, and are asked for of each sale. */
const pathsByMapping = new WeakMap<Program['purchases']['corrected'], MappedPaths>();

/** What a mapping takes from an event's data, by the path as text. */
function mappedPaths(mapping: Program['purchases']['corrected']): MappedPaths {
  const known = pathsByMapping.get(mapping);
  if (known !== undefined) return known;
  const paths = mapping.via === 'none' ? [] : Object.values(mapping.attributes).flatMap(pathsOf);
  const made = new Map(paths.map((path) => [path.join('.'), path]));
  pathsByMapping.set(mapping, made);
  return made;
}

/** A void is the same whoever tells of it, when and why: its sale's number says what is voided. */
export function voidContent({ event: { data } }: Routing<Voided>): string {
  const { total } = data;
  return canonicalJson(total ? totalText(total) : null);
}
