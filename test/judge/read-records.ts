import {
  type Case,
  type Json,
  type JsonObject,
  type Program,
  type SourceRecord,
  type TransactionMapping,
} from './case.js';
import { type Evidence, type Transaction } from './evidence.js';
import { mappingOf } from './mapping.js';
import { mayBeSaid } from './receipts.js';
import { at, canonical, isObject, isoDigits, objectOf, textOf } from './values.js';

export type EventKind =
  | 'member.enrolled'
  | 'member.updated'
  | 'member.opted-out'
  | 'member.merged'
  | 'member.unmerged'
  | 'purchase.completed'
  | 'purchase.refunded'
  | 'purchase.voided'
  | 'purchase.corrected'
  | 'refund.voided'
  | 'reward.granted'
  | 'reward.revoked';

const kinds: readonly string[] = [
  'member.enrolled',
  'member.updated',
  'member.opted-out',
  'member.merged',
  'member.unmerged',
  'purchase.completed',
  'purchase.refunded',
  'purchase.voided',
  'purchase.corrected',
  'reward.granted',
  'reward.revoked',
] satisfies EventKind[];

/** An event that counts: readable, of a program that we have, and neither a repetition nor set aside. */
export interface Told {
  readonly kind: EventKind;
  readonly place: string;
  /** Records of one lane of order lie in one partition; an operator's resubmit has a lane of its own. */
  readonly lane: string;
  /** Its rank among all records; a resubmitted one comes after all. */
  readonly rank: number;
  readonly source: string;
  readonly sequence: string | undefined;
  readonly timeMs: number;
  /** `time`, and those of copies in other lanes: any of them may have been the one that was taken. */
  readonly timesMs: number[];
  readonly program: string;
  readonly terms: Program;
  /** Whose it is. Of a void or refund: whose its purchase is, where that was told. */
  readonly member: string;
  /** Whom it names; of a void or refund perhaps nobody: empty. */
  readonly named: string;
  /** Of a revocation whose grant may be one with an earlier one, and goes by that one's name: what it says itself. */
  readonly ownData?: Told['data'];
  /** It takes back what was sold without a card: from nobody. */
  readonly isOfUnclaimed?: true;
  /** It was told after the member of this id, whose it would be, had surely been absorbed by another one, whose it is. */
  readonly absorbed?: string;
  readonly data: JsonObject;
  /** What an operator said is to be sent instead. */
  readonly corrected: JsonObject | undefined;
  readonly record: SourceRecord;
  readonly resubmitted: boolean;
}

/** Whether it was told before the other, and no copy of that may have been read before it in another partition. */
export const isToldBefore = (one: Told, other: Told, evidence: Evidence): boolean =>
  one.lane === other.lane && one.rank < other.rank && !evidence.hasCopies(other.place);

type Taken = Pick<Told, 'lane' | 'rank' | 'record'>;

/** Whether it is taken before the other. In another partition only what was surely read before the other was sent. */
export const isKnownBefore = (one: Taken, other: Taken): boolean =>
  one.lane === other.lane
    ? one.rank < other.rank
    : one.record.readByMs !== undefined && one.record.readByMs <= (other.record.sentAtMs ?? -Infinity);

interface Frame {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject: Json | undefined;
  readonly sequence: string | undefined;
  readonly data: JsonObject;
}

/** CloudEvents 1.0, structured or binary. */
function frameOf(record: SourceRecord): Frame | undefined {
  const value = parsed(record.value);
  const header = new Map(Object.entries(record.headers).map(([name, text]) => [name.toLowerCase(), text]));
  const isStructured = (header.get('content-type') ?? '').startsWith('application/cloudevents');
  const attribute = (name: string): Json | undefined =>
    isStructured ? objectOf(value)[name] : header.get(`ce_${name}`);
  const data = isStructured ? dataOf(objectOf(value)) : value;
  const [id, source, type, time] = ['id', 'source', 'type', 'time'].map((name) => attribute(name));
  if (attribute('specversion') !== '1.0' || !isObject(data)) return undefined;
  if (typeof id !== 'string' || typeof source !== 'string' || typeof type !== 'string' || typeof time !== 'string') {
    return undefined;
  }
  return { id, source, type, time, subject: attribute('subject'), sequence: textOf(attribute('sequence')), data };
}

function parsed(value: Json): Json {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

function dataOf(envelope: JsonObject): Json | undefined {
  const encoded = envelope['data_base64'];
  if (typeof encoded !== 'string') return parsed(envelope['data'] ?? null);
  return parsed(Buffer.from(encoded, 'base64').toString('utf8'));
}

/** `com.acme.loyalty.purchase.completed.v1` is `purchase.completed`. */
function kindOf(type: string): EventKind | undefined {
  const match = /(?:^|\.)loyalty\.([a-z]+\.[a-z-]+)\.v1$/u.exec(type);
  return match && kinds.includes(match[1] ?? '') ? (match[1] as EventKind) : undefined;
}

/** A void that names a refund means that. */
const voidedKind = ({ type, data }: Frame): EventKind | undefined =>
  kindOf(type) === 'purchase.voided' && (textOf(at(data, 'original.refundId')) ?? '') !== ''
    ? 'refund.voided'
    : undefined;

/** The program's full business key of an event, or undefined where it has none. */
export function businessKey(event: Pick<Told, 'kind' | 'program' | 'terms' | 'data' | 'member'>): string | undefined {
  const own: { readonly [kind: string]: string } = {
    'purchase.completed': 'purchaseId',
    'purchase.refunded': 'refundId',
    'purchase.corrected': 'correctionId',
    'reward.granted': 'grantId',
  };
  const number = own[event.kind];
  if (number === undefined) return undefined;
  const isGrant = event.kind === 'reward.granted';
  const key = isGrant ? (event.terms.grantKey ?? ['grantId']) : purchaseKeyOf(event.terms);
  const widened = key.filter((path) => path !== 'purchaseId' && path !== 'grantId');
  return canonical([event.kind, event.program, at(event.data, number), ...widened.map((path) => at(event.data, path))]);
}

const purchaseKeyOf = (terms: Program): readonly string[] => terms.purchaseKey ?? ['purchaseId'];

/** The full key of the purchase that an event is, voids or refunds. `original` names it where the shop differs. */
export function purchaseKey(event: Pick<Told, 'program' | 'terms' | 'data'>): string {
  const named = isObject(event.data['original']) ? event.data['original'] : event.data;
  return canonical([event.program, ...purchaseKeyOf(event.terms).map((path) => at(named, path))]);
}

/** The full key of what a void means: a purchase, or a refund by its number. */
export function voidedKey(event: Told): string {
  return event.kind === 'refund.voided' ? refundKey(event, objectOf(event.data['original'])) : purchaseKey(event);
}

/** The full key of a refund, of data that name it. */
export function refundKey({ program, terms }: Pick<Told, 'program' | 'terms'>, named: JsonObject): string {
  const parts = purchaseKeyOf(terms).map((path) => at(named, path === 'purchaseId' ? 'refundId' : path));
  return canonical(['refund', program, ...parts]);
}

interface Identity {
  readonly says: string;
  /** The one that counts: of an event under a number that is known, the first with that number. */
  readonly event: Told;
}

export interface Reading {
  readonly events: readonly Told[];
  /** Every record that is an event of a known program, repetitions and those set aside among them. */
  readonly byPlace: ReadonlyMap<string, Told>;
}

/**
 * Sorts the records: what counts, what repeats, what must stand in quarantine and does not. A record that stands there
 * leaves no identity behind, so of two that contradict each other the one that was taken is the one that counts,
 * whichever was first.
 */
export function readRecords(given: Case, evidence: Evidence): Reading {
  const events: Told[] = [];
  const byPlace = new Map<string, Told>();
  const [ids, keys] = [new Map<string, Identity>(), new Map<string, Identity>()];
  const contradictions: Contradiction[] = [];
  const everyName = namesOf(given);
  const told = salesIn(given);
  const everErased = erasedIn(given);
  const setAside: SetAside[] = [];
  const voids = new Map<string, Told[]>();
  const revocations = new Map<string, Told[]>();
  const sameGrants = new Map<string, SameGrant>();
  const absorbed = absorbedIn(given, evidence);
  const identities = { ids, keys, voids, revocations, sameGrants, absorbed, contradictions, evidence };
  for (const [rank, original] of inOrderTaken(given, evidence)) {
    const { record, resubmitted } = evidence.asTaken(original);
    const frame = frameOf(record);
    const event = frame && toldOf({ frame, record, rank, resubmitted, given });
    if (event) byPlace.set(record.place, event);
    rememberVoid(event, voids);
    rememberRevocation(event, identities);
    if (evidence.isSetAside(record.place)) {
      setAside.push({ record, frame, event, everyName, told, everErased, given, evidence });
    } else if (!frame || !event) checkIgnored(record, frame, evidence);
    else if (isNew(frame, event, identities)) events.push(event);
  }
  checkReasons(setAside);
  forgetErased(events, evidence);
  const sales = new Map(
    events.flatMap((event) => (event.kind === 'purchase.completed' ? [[purchaseKey(event), event]] : [])),
  );
  const refunds = new Map(
    events.flatMap((event) => (event.kind === 'purchase.refunded' ? [[refundKey(event, event.data), event]] : [])),
  );
  const refundOf = (event: Told): Told | undefined => {
    const refund = event.kind === 'refund.voided' ? refunds.get(voidedKey(event)) : undefined;
    return refund && asOwned(refund, sales.get(purchaseKey(refund)), evidence);
  };
  const merges = mergesIn(events);
  const unclaimed = unclaimedIn(given, evidence);
  const owned = (event: Told): Told => {
    const sale = refundOf(event) ?? sales.get(purchaseKey(event));
    const said = { ...asFirstNamed(event, sameGrants), corrected: evidence.correction(event.place) };
    if (isOfUnclaimed(event, sale, { unclaimed, evidence })) return asNobodys(said, evidence);
    return asSurvivors(asOwned(said, sale, evidence), merges, evidence);
  };
  const isErased = (one: Told): boolean => evidence.isErased(one) || evidence.isErased(owned(one));
  for (const { event, of, what } of contradictions) {
    // What an erased member had said is forgotten, and what those said who live on in them: nothing contradicts it.
    if ([event, of].some((one) => one && isErased(one))) evidence.count('erased');
    else evidence.find('vanished', event, `the same ${what} with other content`, event.place);
  }
  return {
    events: events.map(owned),
    byPlace: new Map([...byPlace].map(([place, event]) => [place, owned(event)])),
  };
}

function forgetErased(events: readonly Told[], evidence: Evidence): void {
  const erasing = events.filter(({ kind, data }) => kind === 'member.opted-out' && data['erase'] === true);
  for (const event of erasing) evidence.erase(event);
}

function rememberVoid(event: Told | undefined, voids: Map<string, Told[]>): void {
  if (event?.kind !== 'purchase.voided') return;
  const key = purchaseKey(event);
  voids.set(key, [...(voids.get(key) ?? []), event]);
}

function rememberRevocation(event: Told | undefined, { revocations, sameGrants }: Identities): void {
  if (event?.kind !== 'reward.revoked') return;
  const name = grantOf(asFirstNamed(event, sameGrants));
  revocations.set(name, [...(revocations.get(name) ?? []), event]);
}

/** Who revokes what was granted under several numbers, because it is given once, may name any of them that were told before. */
function asFirstNamed(event: Told, sameGrants: Identities['sameGrants']): Told {
  const same = event.kind === 'reward.revoked' ? sameGrants.get(grantOf(event)) : undefined;
  if (same === undefined || same.rank > event.rank) return event;
  const { first } = same;
  const names = (event.terms.grantKey ?? ['grantId']).map((path) => path.split('.')[0] ?? '');
  const named = Object.fromEntries(names.map((name) => [name, first.data[name]]));
  return { ...event, data: { ...event.data, ...named }, ownData: event.data };
}

/** A grant under another number than the first of what is given once. */
interface SameGrant {
  readonly first: Told;
  /** When it was told. */
  readonly rank: number;
}

function nameAnew(event: Told, first: Told, { sameGrants }: Identities): void {
  sameGrants.set(grantOf(event), { first: sameGrants.get(grantOf(first))?.first ?? first, rank: event.rank });
}

/** Survivors of merges, by whom they absorbed at some time. */
function absorbedIn(given: Case, evidence: Evidence): ReadonlyMap<string, string> {
  return new Map(
    given.records.flatMap((record) => {
      const { type = '', data = {} } = frameOf(record) ?? {};
      const { absorbed, program, memberId } = data;
      if (kindOf(type) !== 'member.merged' || !Array.isArray(absorbed) || evidence.isSetAside(record.place)) return [];
      return absorbed.map((id) => [canonical([program, id]), textOf(memberId) ?? '']);
    }),
  );
}

/** The grant that an event is, or revokes. */
const grantOf = ({ program, terms, named, data }: Told): string =>
  canonical([program, named, ...(terms.grantKey ?? ['grantId']).map((path) => at(data, path))]);

const takingBack: readonly EventKind[] = [
  'purchase.voided',
  'refund.voided',
  'purchase.refunded',
  'purchase.corrected',
];

/**
 * A void or refund is its purchase's member's, whomever it names: the key says what is meant. One that may have been read
 * before its purchase was then of a receipt that nobody knew: it is the named member's where it is listed as theirs.
 */
function asOwned(event: Told, sale: Told | undefined, evidence: Evidence): Told {
  if (!takingBack.includes(event.kind) || sale === undefined || sale.member === event.member) return event;
  if (isOfNobody(event, sale, evidence)) return event;
  const isReadBehind = sale.lane === event.lane && sale.rank < event.rank;
  const mayBeFirst = event.named !== '' && !isReadBehind;
  const isNameds = mayBeFirst && (isPostedUnknown(event, evidence) || isListedAs(event.named, event, evidence));
  return isNameds ? event : { ...event, member: sale.member };
}

/** A return without a card that was read before its sale is of nobody; it may have been, where neither is known to be first. */
function isOfNobody(event: Told, sale: Told, evidence: Evidence): boolean {
  if (event.kind !== 'purchase.refunded' || event.named !== '') return false;
  return isKnownBefore(event, sale) || !(isKnownBefore(sale, event) || isShownAsOf(sale, event, evidence));
}

function isShownAsOf(sale: Told, event: Told, evidence: Evidence): boolean {
  const sent = transactionOf(event);
  return (sent !== null && evidence.isShown(event.place, sale, sent)) || isListedAs(sale.member, event, evidence);
}

function transactionOf(event: Told): Transaction | null {
  const mapping = mappingOf(event);
  if (mapping === null) return null;
  const { transactionTypeId, uniqueAttribute: attribute } = mapping;
  const sent = { transactionTypeId, timesMs: event.timesMs };
  if (attribute === undefined) return sent;
  const value = textOf(attributesOf(event.corrected ?? event.data, mapping)[attribute]);
  return { ...sent, number: { attribute, value } };
}

const isListedAs = (member: string, { place }: Told, evidence: Evidence): boolean =>
  evidence.lists(place).some((entry) => entry.member === member);

/** Before anybody knew of its sale it may be posted for whom it names, where the program says so. */
function isPostedUnknown(event: Told, evidence: Evidence): boolean {
  if (event.kind !== 'purchase.refunded' || event.terms.refundUnknown !== 'post') return false;
  const sent = transactionOf(event);
  return sent !== null && evidence.isAtPartner({ ...event, member: event.named }, sent);
}

const fromReceipt: readonly EventKind[] = ['purchase.voided', 'purchase.refunded', 'purchase.corrected'];

interface Unclaimed {
  readonly unclaimed: ReadonlyMap<string, readonly Taken[]>;
  readonly evidence: Evidence;
}

/** Of a claim and a return nobody outside may know which was read first: then it is the claimant's where it is shown as theirs. */
function isOfUnclaimed(event: Told, sale: Told | undefined, { unclaimed, evidence }: Unclaimed): boolean {
  const sold = unclaimed.get(purchaseKey(event));
  if (!fromReceipt.includes(event.kind) || sold === undefined) return false;
  if (!sold.some((one) => isKnownBefore(one, event)) && isPostedUnknown(event, evidence)) return false;
  if (sale === undefined) return true;
  // It was theirs before anybody knew of one without a card: what had waited for it is of it.
  if (isKnownBefore(sale, event) || sold.every((one) => isKnownBefore(sale, one))) return false;
  if (isKnownBefore(event, sale) && sold.some((one) => isKnownBefore(one, sale))) return true;
  return !isShownAsOfClaimant(sale, event, evidence);
}

/** What has waited for its sale is cancelled where somebody tells first of one without a card: its list names its member all the same. */
function isShownAsOfClaimant(sale: Told, event: Told, evidence: Evidence): boolean {
  const undone = evidence.undone(event.place);
  const isNobodys = undone.some(({ list, reason }) => list === 'cancelled' && reason === 'no-member');
  return !isNobodys && isShownAsOf(sale, event, evidence);
}

/** All that was sold without a card, by its key. */
function unclaimedIn(given: Case, evidence: Evidence): ReadonlyMap<string, readonly Taken[]> {
  const taken = inOrderTaken(given, evidence).filter(([, { place }]) => !evidence.isSetAside(place));
  const sold = taken.flatMap(([rank, record]) => {
    const frame = frameOf(record);
    const lane = laneOf(record, evidence.isResubmitted(record.place));
    return frame ? soldWithoutCard(frame, given).map((key) => ({ key, lane, rank, record })) : [];
  });
  return Map.groupBy(sold, ({ key }) => key);
}

const laneOf = ({ place }: SourceRecord, isResubmitted: boolean): string =>
  isResubmitted ? 'operator' : place.slice(0, place.lastIndexOf('/'));

/** What was sold without a card is taken from nobody, whomever the return names; a list may show that it has waited for that. */
function asNobodys(event: Told, evidence: Evidence): Told {
  const isListed = evidence.lists(event.place).length > 0 || evidence.undone(event.place).length > 0;
  return { ...event, isOfUnclaimed: true, member: isListed ? event.named : '' };
}

/** Key of a sale that names no member, where the program remembers such. */
function soldWithoutCard(frame: Frame, given: Case): string[] {
  const program = textOf(frame.data['program']);
  const terms = program === undefined ? undefined : given.programs.programs[program];
  const isSale = kindOf(frame.type) === 'purchase.completed' && memberOf(frame) === undefined;
  if (!isSale || program === undefined || terms === undefined || terms.anonymousReceiptDays === 0) return [];
  if (doesNotCount(frame, given) || isOfDeadClock(frame, given)) return [];
  return [purchaseKey({ program, terms, data: frame.data })];
}

/** Merges by whom they absorb, those that take one back among them. */
type Merges = ReadonlyMap<string, readonly Told[]>;

function mergesIn(events: readonly Told[]): Merges {
  const named = events.flatMap((event) => {
    const { absorbed } = event.data;
    const isMerge = ['member.merged', 'member.unmerged'].includes(event.kind) && Array.isArray(absorbed);
    return isMerge ? absorbed.map((id) => ({ name: canonical([event.program, id]), event })) : [];
  });
  return new Map(
    [...Map.groupBy(named, ({ name }) => name)].map(([name, all]) => [name, all.map(({ event }) => event)]),
  );
}

/**
 * What a till or a campaign tells of an absorbed member is the survivor's. Where nobody outside can know which was read first, or
 * whether the merge still held, it is whose the lists say.
 */
function asSurvivors(event: Told, merges: Merges, evidence: Evidence): Told {
  if (event.kind.startsWith('member.') || merges.size === 0) return event;
  const said = merges.get(canonical([event.program, event.member])) ?? [];
  const [merge] = said;
  if (merge === undefined) return event;
  const survivor = merge.member;
  if (evidence.hasFollowed(event.place)) return { ...event, member: survivor };
  if (said.every((one) => isKnownBefore(event, one))) return event;
  if (isSurelyAfter(event, said, evidence)) return { ...event, member: survivor, absorbed: event.member };
  const isListed = evidence.lists(event.place).some(({ member }) => member === event.member);
  return isListed ? event : { ...event, member: survivor };
}

/** Whether a merge held, and had been read, when the event was sent. */
function isSurelyAfter(event: Told, said: readonly Told[], evidence: Evidence): boolean {
  const [merge] = said;
  if (merge === undefined || event.resubmitted || evidence.hasCopies(event.place)) return false;
  const isOne = said.every((one) => one.kind === 'member.merged' && one.member === merge.member && !one.resubmitted);
  return isOne && isKnownBefore(merge, event) && !evidence.isErased(merge);
}

/** It may be said, and says something that nothing has said before. */
const isNew = (frame: Frame, event: Told, identities: Identities): boolean =>
  isLetSay(event, identities.evidence) && !isRepetition(frame, event, identities);

/** What a source may not say is taken only where a person has said so. */
function isLetSay(event: Told, evidence: Evidence): boolean {
  const kind = event.kind === 'refund.voided' ? 'purchase.voided' : event.kind;
  if (event.resubmitted || mayBeSaid(event.record, kind, event.program)) return true;
  evidence.find('beyond-authority', event, event.kind, event.place);
  return false;
}

/** What cannot be read or is nobody's may be ignored only where the documents say so. */
function checkIgnored(record: SourceRecord, frame: Frame | undefined, evidence: Evidence): void {
  const isTombstone = record.value === null && !frame;
  if (isTombstone || (frame && !mustBeListed(frame, evidence.given))) return;
  evidence.find('vanished', null, frame ? `${frame.type} is ignored` : 'it is no event', record.place);
}

/** A resubmitted record comes when the operator says: after all that was sent by then. */
function inOrderTaken(given: Case, evidence: Evidence): readonly (readonly [number, SourceRecord])[] {
  const { records } = given;
  const ranked = records.map((record, index) => {
    if (!evidence.isResubmitted(record.place)) return [index, record] as const;
    const atMs = evidence
      .acts(record.place)
      .findLast(({ act, atMs: ms }) => act === 'resubmit' && ms !== undefined)?.atMs;
    const next = atMs === undefined ? -1 : records.findIndex(({ sentAtMs }) => (sentAtMs ?? -Infinity) > atMs);
    // Between two records, and among those taken in there as they were sent.
    return [(next < 0 ? records.length : next) - 1 + (index + 1) / (records.length + 1), record] as const;
  });
  return ranked.sort((a, b) => a[0] - b[0]);
}

interface Raw {
  readonly frame: Frame;
  readonly record: SourceRecord;
  readonly rank: number;
  readonly resubmitted: boolean;
  readonly given: Case;
}

function toldOf({ frame, record, rank, resubmitted, given }: Raw): Told | undefined {
  const kind = voidedKind(frame) ?? kindOf(frame.type);
  const program = textOf(frame.data['program']);
  const terms = program === undefined ? undefined : given.programs.programs[program];
  const member = addresseeOf(frame, given);
  const timeMs = Date.parse(frame.time);
  if (kind === undefined || program === undefined || !terms || member === undefined || Number.isNaN(timeMs)) {
    return undefined;
  }
  return {
    kind,
    place: record.place,
    lane: laneOf(record, resubmitted),
    rank,
    source: frame.source,
    sequence: frame.sequence,
    timeMs,
    timesMs: [timeMs],
    program,
    terms,
    member,
    named: member,
    data: frame.data,
    corrected: undefined,
    record,
    resubmitted,
  };
}

/** Events that are ignored by the documents need no list; any other that nobody can act on does. */
function mustBeListed(frame: Frame, given: Case): boolean {
  const kind = kindOf(frame.type);
  if (kind === undefined || Number.isNaN(Date.parse(frame.time))) return true;
  const program = textOf(frame.data['program']);
  if (program === undefined) return true;
  if (!given.programs.programs[program]) return given.programs.unknownProgram !== 'ignore';
  if (isOfDeadClock(frame, given)) return true;
  if (doesNotCount(frame, given)) return false;
  return !(kind.startsWith('purchase.') && memberOf(frame) === undefined);
}

const plainText = (value: Json | undefined): string | undefined =>
  typeof value === 'boolean' ? String(value) : textOf(value);

/** A receipt of which the program says so: nothing of it is at the partner. */
function doesNotCount({ type, data }: Frame, given: Case): boolean {
  const fields = given.programs.programs[textOf(data['program']) ?? '']?.ignoreReceipts ?? {};
  if (kindOf(type)?.startsWith('purchase.') !== true) return false;
  return Object.entries(fields).some(([path, values]) => {
    const said = plainText(at(data, path));
    return said !== undefined && [values].flat().some((value) => plainText(value) === said);
  });
}

/** Documented default of `notBefore`. */
const notBeforeDefault = '2020-01-01';

/** Set aside, whatever it says. */
const isOfDeadClock = ({ time, data }: Frame, given: Case): boolean =>
  Date.parse(time) < Date.parse(given.programs.programs[textOf(data['program']) ?? '']?.notBefore ?? notBeforeDefault);

/** Undefined where it asks for nothing. A void or refund need not name whose it is. */
function addresseeOf(frame: Frame, given: Case): string | undefined {
  if (doesNotCount(frame, given) || isOfDeadClock(frame, given)) return undefined;
  const kind = kindOf(frame.type);
  return memberOf(frame) ?? (kind !== undefined && takingBack.includes(kind) ? '' : undefined);
}

/** An empty text or null is no member, as is none. */
function memberOf({ data }: Frame): string | undefined {
  const member = textOf(data['memberId']);
  return member === '' ? undefined : member;
}

/** `name: path`, `{ from }`, `{ value }` or `{ join, with }`; an absent source, or null, is left out. */
export function attributesOf(data: JsonObject, mapping: TransactionMapping): JsonObject {
  const attributes: { [name: string]: JsonObject[string] } = {};
  for (const [name, source] of Object.entries(mapping.attributes ?? {})) {
    const rule = isObject(source) ? source : { from: source };
    if (rule['value'] !== undefined) attributes[name] = rule['value'];
    else if (Array.isArray(rule['join'])) attributes[name] = joined(data, rule['join'], textOf(rule['with']) ?? '-');
    else if (typeof rule['from'] === 'string') attributes[name] = at(data, rule['from']) ?? undefined;
  }
  return attributes;
}

/** A separator within a part is written as its code, and so is the sign that begins a code. */
function joined(data: JsonObject, paths: readonly unknown[], separator: string): string {
  const code = `%${separator.charCodeAt(0).toString(16).toUpperCase()}`;
  const parts = paths.map((path) => textOf(at(data, String(path))) ?? '');
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll(separator, code)).join(separator);
}

/** An event that says something else than the first one of its id or key. */
interface Contradiction {
  readonly event: Told;
  readonly of: Told | undefined;
  readonly what: string;
}

interface Identities {
  readonly ids: Map<string, Identity>;
  readonly keys: Map<string, Identity>;
  /** By the key of their purchase. */
  readonly voids: ReadonlyMap<string, readonly Told[]>;
  /** By the grant that they name. */
  readonly revocations: Map<string, Told[]>;
  readonly sameGrants: Map<string, SameGrant>;
  readonly absorbed: ReadonlyMap<string, string>;
  readonly contradictions: Contradiction[];
  readonly evidence: Evidence;
}

function isRepetition(frame: Frame, event: Told, identities: Identities): boolean {
  const { ids } = identities;
  const byKey = seenByNumber(event, identities);
  const counts = (byKey.answer === 'same' ? byKey.first : undefined) ?? event;
  const says = saidUnderId(frame, event);
  const byId = seen(ids, canonical([frame.source, frame.id]), { says, event: counts });
  if (byId.answer === 'new' && byKey.answer === 'other' && isRungUpAgain(event, identities)) return false;
  contradict(event, { byId, byKey }, identities);
  joinFirst(event, { byId, byKey }, identities);
  return byId.answer !== 'new' || byKey.answer !== 'new';
}

function joinFirst(event: Told, { byId, byKey }: Record<'byId' | 'byKey', Seen>, identities: Identities): void {
  const { first } = [byKey, byId].find(({ answer }) => answer === 'same') ?? unseen;
  if (event.kind === 'reward.granted' && byKey.answer === 'same' && byKey.first) {
    nameAnew(event, byKey.first, identities);
  }
  if (first) joinCopy(first, event, identities.evidence);
}

function seenByNumber(event: Told, identities: Identities): Seen {
  const { keys } = identities;
  const key = businessKey(event);
  const own = key === undefined ? unseen : seen(keys, key, { says: saidUnderNumber(event), event });
  return own.answer === 'new' ? seenByAlias(event, identities) : own;
}

/** A return by its `returnId`, and what is granted once for a campaign, are one however many numbers they are told under. */
function seenByAlias(event: Told, identities: Identities): Seen {
  const { kind, program, data } = event;
  const returnId = kind === 'purchase.refunded' ? textOf(data['returnId']) : undefined;
  if (returnId) {
    return seen(identities.keys, canonical(['return', program, returnId]), {
      says: canonical([purchaseKey(event), totalOf(data)]),
      event,
    });
  }
  const campaign = campaignOf(event);
  return campaign === undefined ? unseen : seenByCampaign(campaign, event, identities);
}

/** What a grant is given for once to each member; undefined: it is given each time. */
export function campaignOf({ kind, terms, data }: Told): string | undefined {
  const mapping = kind === 'reward.granted' ? terms.rewards?.[textOf(data['reward']) ?? ''] : undefined;
  const once = typeof mapping === 'object' ? mapping.once : undefined;
  const campaign = once === undefined ? undefined : plainText(at(data, once));
  return campaign === '' ? undefined : campaign;
}

function seenByCampaign(campaign: string, event: Told, identities: Identities): Seen {
  const { keys, absorbed, evidence } = identities;
  const survivor = absorbed.get(canonical([event.program, event.named])) ?? event.named;
  const key = canonical(['campaign', event.program, campaign, survivor]);
  const identity = { says: textOf(event.data['reward']) ?? '', event };
  const before = keys.get(key);
  // Which of two was told before they were one member nobody outside can know.
  if (before !== undefined && before.event.named !== event.named) {
    for (const { place } of [before.event, event]) evidence.mayRepeat(place);
    return unseen;
  }
  if (before?.says !== identity.says) return seen(keys, key, identity);
  const anew = grantedAnew(before.event, event, identities);
  if (anew === 'no') return seen(keys, key, identity);
  if (anew === 'perhaps') {
    evidence.mayRepeat(event.place);
    nameAnew(event, before.event, identities);
  }
  keys.set(key, identity);
  return unseen;
}

/**
 * Who was granted a reward that is given once gets it by another grant where the first one was revoked before that, expired, or was
 * cancelled. Nobody outside can know when the last two were, nor what a person has decided.
 */
function grantedAnew(first: Told, event: Told, { revocations, evidence }: Identities): 'yes' | 'perhaps' | 'no' {
  const revoked = (revocations.get(grantOf(first)) ?? []).filter(
    ({ place, timeMs }) => timeMs < event.timeMs && !evidence.isSetAside(place),
  );
  const isPlain = (one: Told): boolean => !one.resubmitted && !evidence.isDecided(one.place);
  const isSurely = (one: Told): boolean => isKnownBefore(first, one) && isKnownBefore(one, event) && isPlain(one);
  if ([first, event].every(isPlain) && revoked.some(isSurely)) return 'yes';
  const isOver = evidence
    .undone(first.place)
    .some(({ list, reason }) => list === 'cancelled' || (list === 'parked' && reason === 'expired'));
  return revoked.length > 0 || isOver || evidence.isDecided(first.place) ? 'perhaps' : 'no';
}

/** Of one lane the first is taken, of several whichever was read first. */
function joinCopy(first: Told, event: Told, evidence: Evidence): void {
  if (first.lane === event.lane) return;
  evidence.isCopy(first.place, event.place);
  first.timesMs.push(event.timeMs);
}

function contradict(
  event: Told,
  { byId, byKey }: { readonly byId: Seen; readonly byKey: Seen },
  { contradictions }: Identities,
): void {
  if (byId.answer === 'other') contradictions.push({ event, of: byId.first, what: 'event' });
  // The same event says nothing new of its number.
  else if (byId.answer === 'new' && byKey.answer === 'other') {
    contradictions.push({ event, of: byKey.first, what: 'business key' });
  }
}

/** A sale under the number of one that was voided, and after that void: it stands in a list until a person takes it in. */
function isRungUpAgain(event: Told, { voids, evidence }: Identities): boolean {
  if (event.kind !== 'purchase.completed') return false;
  const isAfterVoid = (voids.get(purchaseKey(event)) ?? []).some(({ timeMs }) => timeMs < event.timeMs);
  return isAfterVoid && (evidence.undone(event.place).length > 0 || evidence.isDecided(event.place));
}

function saidUnderId({ subject, data }: Frame, event: Told): string {
  if (isReceipt(event)) return judgedOf(event);
  return event.kind === 'reward.granted' ? judgedGrant(event) : canonical([event.kind, subject, data]);
}

/** What makes one grant another: whose, which reward, for which receipt, until when. */
function judgedGrant({ kind, program, named, data }: Told): string {
  const said = (name: string): string | undefined => (data[name] === '' ? undefined : textOf(data[name]));
  const parts = ['grantId', 'reward', 'purchaseId', 'validUntil'].map(said);
  return canonical([kind, program, named, ...parts]);
}

const isReceipt = ({ kind }: Told): boolean => kind.startsWith('purchase.');

/** What makes one receipt another: whose, which numbers, where, how much. One field more does not. */
function judgedOf({ kind, program, named, data }: Told): string {
  const text = (path: string): unknown => (at(data, path) === '' ? undefined : at(data, path));
  const numbers = ['purchaseId', 'refundId', 'correctionId', 'storeId', 'original', 'previousTotal'].map(text);
  return canonical([kind, program, named, ...numbers, totalOf(data)]);
}

function totalOf(data: JsonObject): string | undefined {
  const [minor, currency] = [at(data, 'total.minor'), textOf(at(data, 'total.currency'))];
  if (typeof minor !== 'number' || currency === undefined) return undefined;
  return canonical([minor, Number(at(data, 'total.digits') ?? isoDigits(currency)), currency]);
}

/** Of a sale or refund also when it was, and all that the program maps: a number may be used twice. */
function saidUnderNumber(event: Told): string {
  if (event.kind === 'reward.granted') return canonical([judgedGrant(event), event.timeMs]);
  const mapping = event.terms.purchases?.[event.kind.slice('purchase.'.length)];
  const attributes = mapping && mapping.via !== 'none' ? attributesOf(event.data, mapping) : {};
  return canonical([judgedOf(event), event.timeMs, attributes]);
}

interface Seen {
  readonly answer: 'new' | 'same' | 'other';
  readonly first: Told | undefined;
}

const unseen: Seen = { answer: 'new', first: undefined };

function seen(known: Map<string, Identity>, key: string, identity: Identity): Seen {
  const before = known.get(key);
  if (!before) {
    known.set(key, identity);
    return unseen;
  }
  return { answer: before.says === identity.says ? 'same' : 'other', first: before.event };
}

interface SetAside {
  readonly record: SourceRecord;
  readonly frame: Frame | undefined;
  readonly event: Told | undefined;
  readonly everyName: ReadonlyMap<string, number>;
  /** The sales of each number, whichever of them counts. */
  readonly told: ReadonlyMap<string, readonly ToldSale[]>;
  /** Members whom anybody has asked to be erased, by program. */
  readonly everErased: ReadonlySet<string>;
  readonly given: Case;
  readonly evidence: Evidence;
}

/** How often each event id and business key was sent at all. */
function namesOf(given: Case): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const count = (name: string): unknown => names.set(name, (names.get(name) ?? 0) + 1);
  for (const record of given.records) {
    const frame = frameOf(record);
    if (!frame) continue;
    count(canonical([frame.source, frame.id]));
    for (const number of numbersOf(frame)) count(number);
  }
  return names;
}

/** Of an enrolment the member; merges, which may close a ring, have one together; of a refund not its sale's. */
const numberNames: { readonly [kind in EventKind]?: readonly string[] } = {
  'purchase.refunded': ['refundId'],
  'member.enrolled': ['memberId'],
  'member.merged': ['program'],
};

/** What it takes back elsewhere is named in `original`. */
const numbersOf = ({ type, data }: Frame): string[] => {
  const names = numberNames[kindOf(type) ?? 'member.updated'] ?? ['purchaseId', 'refundId', 'correctionId', 'grantId'];
  const { original } = data;
  const said = [data, ...(isObject(original) ? [original] : [])];
  return said.flatMap((from) =>
    names.flatMap((name) => (from[name] === undefined ? [] : canonical([name, data['program'], from[name]]))),
  );
};

interface ToldSale {
  readonly number: string;
  readonly member: string;
  readonly says: string;
}

/** All sales that were told, by their numbers, whichever of them counts. */
function salesIn(given: Case): ReadonlyMap<string, readonly ToldSale[]> {
  const told = given.records.flatMap((record): ToldSale[] => {
    const frame = frameOf(record);
    if (frame === undefined || kindOf(frame.type) !== 'purchase.completed') return [];
    const { time, data } = frame;
    return [{ number: saleNumber(frame), member: textOf(data['memberId']) ?? '', says: canonical([time, data]) }];
  });
  return Map.groupBy(told, ({ number }) => number);
}

const saleNumber = ({ data }: Frame): string => canonical([data['program'], data['purchaseId']]);

function erasedIn(given: Case): ReadonlySet<string> {
  const byEvents = given.records.flatMap((record) => {
    const { data = {} } = frameOf(record) ?? {};
    return data['erase'] === true ? [canonical([data['program'], data['memberId']])] : [];
  });
  const byPeople = given.operators.flatMap(({ act, program, member }) =>
    act === 'erase' ? [canonical([program, member])] : [],
  );
  const erased = new Set([...byEvents, ...byPeople]);
  // Who lives on in somebody who is erased is erased with them.
  for (const record of given.records) {
    const { data = {} } = frameOf(record) ?? {};
    const isOfErased = erased.has(canonical([data['program'], data['memberId']]));
    if (!isOfErased || !Array.isArray(data['absorbed'])) continue;
    for (const id of data['absorbed']) erased.add(canonical([data['program'], id]));
  }
  return erased;
}

function checkReasons(setAside: readonly SetAside[]): void {
  const byRecord = Map.groupBy(setAside, ({ record: { place } }) => place.split('#')[0]);
  for (const told of byRecord.values()) checkReason(told);
}

/** @param told all that one record tells: it is set aside whole, and the reason is that of any part of it */
function checkReason(told: readonly SetAside[]): void {
  const [first] = told;
  if (first === undefined) return;
  const { record, event, given, evidence } = first;
  const reason = evidence.quarantineReason(record.place);
  const isAsked = record.source === undefined || record.value !== null;
  if (!isAsked) evidence.find('set-aside-wrongly', null, 'it asks for nothing', record.place);
  if (reason === null || given.hasReloaded === true) return;
  const [wrong, ...others] = told.map((part) => whyNot(reason, part));
  if (wrong === undefined || others.includes(undefined)) return;
  evidence.find('set-aside-wrongly', event ?? null, `${reason}: ${wrong}`, record.place);
}

type Circumstances = Pick<SetAside, 'record' | 'frame' | 'event' | 'everyName' | 'told' | 'everErased' | 'given'>;

const isWhole = ({ event }: Circumstances): string | undefined => event && `it is a whole ${event.kind}`;

/** Of a record of a form of its own all is known that it must say. */
const isFull = (seen: Circumstances): string | undefined =>
  seen.record.source === undefined ? undefined : isWhole(seen);

function whyAllowed({ frame, record }: Circumstances): string | undefined {
  const kind = frame && kindOf(frame.type);
  if (frame === undefined || kind === undefined) return 'it is none of our events';
  if (record.source !== undefined) {
    return mayBeSaid(record, kind, textOf(frame.data['program']) ?? '') ? 'its source may say it' : undefined;
  }
  const [subject = ''] = kind.split('.');
  const [topic = ''] = record.place.split('/');
  return topic.includes(`${subject}s`) ? 'it came by the topic of its subject' : undefined;
}

const disproofs: { readonly [reason: string]: (seen: Circumstances) => string | undefined } = {
  unreadable: isWhole,
  oversized: isWhole,
  invalid: isFull,
  'unknown-program': ({ event }) => (event ? `the programs file has ${event.program}` : undefined),
  'unsupported-type': ({ frame }) => (frame && kindOf(frame.type) ? `${frame.type} is a type we know` : undefined),
  'not-allowed': whyAllowed,
  'place-differs': () => 'no map reads these records',
  'not-permitted': ({ event }) =>
    event && (event.data['erase'] === true || Array.isArray(event.data['absorbed']))
      ? undefined
      : 'it asks neither to erase nor to merge anybody',
  conflict: (seen) => (isContradicted(seen) ? undefined : 'nothing else has its id or its number'),
  erased: (seen) => (isOfErased(seen) ? undefined : 'nobody has asked to erase its member'),
  unroutable: ({ event }) => (event && isRoutable(event) ? 'the program has all that it names' : undefined),
};

/** Of a sale that was told in two ways nobody knows which one came back, of one that is forgotten whether it did before. */
function isContradicted(seen: Circumstances): boolean {
  const { frame, everyName, told } = seen;
  if (frame === undefined || !isAlone(frame, everyName) || isOfErased(seen)) return true;
  return new Set((told.get(saleNumber(frame)) ?? []).map(({ says }) => says)).size > 1;
}

/** It names somebody who is erased, or takes back what was sold to them. */
function isOfErased({ frame, event, told, everErased }: Circumstances): boolean {
  if (frame === undefined || event === undefined) return false;
  const sales = event.kind === 'purchase.completed' ? [] : (told.get(saleNumber(frame)) ?? []);
  const names = [event.named, ...sales.map(({ member }) => member)];
  return names.some((id) => everErased.has(canonical([event.program, id])));
}

const whyNot = (reason: string, seen: Circumstances): string | undefined => disproofs[reason]?.(seen);

const isAlone = (frame: Frame, names: ReadonlyMap<string, number>): boolean =>
  [canonical([frame.source, frame.id]), ...numbersOf(frame)].every((name) => (names.get(name) ?? 0) <= 1);

const routable: { readonly [kind in EventKind]?: (event: Told) => boolean } = {
  'member.enrolled': hasTier,
  'member.updated': hasTier,
  'purchase.completed': hasMapping,
  'purchase.refunded': hasMapping,
  'reward.granted': ({ terms, data }) => terms.rewards?.[textOf(data['reward']) ?? ''] !== undefined,
};

const isRoutable = (event: Told): boolean => routable[event.kind]?.(event) ?? false;

function hasTier({ terms, data: { tier } }: Told): boolean {
  return tier === undefined || tier === null || terms.tiers?.[textOf(tier) ?? ''] !== undefined;
}

function hasMapping({ kind, terms, data }: Told): boolean {
  const mapping = terms.purchases?.[kind.slice('purchase.'.length)];
  return mapping !== undefined && at(data, 'total.currency') === terms.currency;
}
