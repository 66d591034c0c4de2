import {
  type Bucket,
  type Case,
  type Finding,
  type JsonObject,
  type Judged,
  type LedgerEntry,
  type ListEntry,
  type OperatorAct,
  type PartnerPass,
  type Program,
  type Rule,
  type SourceRecord,
  type Verdict,
} from './case.js';
import { at, objectOf, sentTimeOf, textOf } from './values.js';

/** The documented reasons; those of a cancellation are not counted up anywhere. */
const reasons: { readonly [list: string]: readonly string[] } = {
  parked: [
    'rejected',
    'exhausted',
    'unknown-outcome',
    'missing-pass',
    'not-a-member',
    'missing-purchase',
    'over-refund',
    'expired',
    'held',
    'conflict',
    'unroutable',
    'merged',
    'card-replaced',
    'not-delivered',
    'erased',
  ],
  quarantined: [
    'unreadable',
    'oversized',
    'invalid',
    'unsupported-type',
    'unknown-program',
    'unroutable',
    'not-allowed',
    'not-permitted',
    'conflict',
    'place-differs',
    'erased',
  ],
};

/** Documented default of `inFlightMs`: how long a lost call may still take effect. */
const inFlightDefaultMs = 120_000;

/** By what a transaction is known at the partner. */
export interface Transaction {
  readonly transactionTypeId: unknown;
  readonly timesMs: readonly number[];
  /** Where it has a number: the attribute that carries it. Of one member two may be of the same millisecond. */
  readonly number?: { readonly attribute: string; readonly value: string | undefined };
}

export interface About {
  readonly program: string;
  readonly member: string;
}

/** What a lost card held, beside the enrolment that made another one: it says nothing of what became of that. */
const isBeside = ({ reason }: ListEntry): boolean => reason === 'card-replaced';

/** Where a refund stood before it followed its sale to the member in whom the one that it names lives on: it is judged there. */
const isLeftBehind = ({ list, reason }: ListEntry): boolean => list === 'cancelled' && reason === 'merged';

/** All that may be asked about a case, and the findings so far. */
export class Evidence {
  readonly judged: Judged = {
    records: 0,
    events: 0,
    members: 0,
    fields: 0,
    points: 0,
    sales: 0,
    refunds: 0,
    counters: 0,
    corrections: 0,
    rewards: 0,
    outcomes: 0,
  };
  readonly #findings: Finding[] = [];
  readonly #buckets: { [bucket in Bucket]: number } = {
    'somebody-elses-points': 0,
    'somebody-elses-receipt': 0,
    'somebody-elses-effect': 0,
    'partner-applied-late': 0,
    'partner-applied-out-of-order': 0,
    'partner-applied-twice': 0,
    'partner-broke-uniqueness': 0,
    'resent-as-asked': 0,
    'operator-decided': 0,
    erased: 0,
  };
  readonly #lists: ReadonlyMap<string, ListEntry[]>;
  readonly #acts: ReadonlyMap<string, OperatorAct[]>;
  readonly #erased: Set<string>;
  readonly #others: ReadonlySet<number>;
  readonly #again = new Set<number>();
  readonly #told: ReadonlySet<string>;
  readonly #hasOutcomes: boolean;
  readonly #explained = new Set<string>();
  readonly #copies = new Map<string, readonly string[]>();
  readonly #firsts = new Map<string, string>();
  readonly #repeated = new Set<string>();
  readonly #ledger = new Map<string, LedgerEntry[]>();
  readonly #othersLedger = new Map<string, LedgerEntry[]>();
  readonly #ledgerOfPass: ReadonlyMap<string | null, readonly LedgerEntry[]>;
  readonly #passesById = new Map<string, PartnerPass>();
  /** Members who have a pass, by the key of metaData that names them. */
  readonly #owners = new Map<string, Set<string | undefined>>();

  constructor(readonly given: Case) {
    this.#lists = Map.groupBy(given.lists, (entry) => entry.place);
    this.#acts = Map.groupBy(
      given.operators.filter((act) => act.place !== undefined),
      (act) => act.place ?? '',
    );
    this.#erased = new Set(given.operators.filter(({ act }) => act === 'erase').map((act) => nameOf(act)));
    this.#others = new Set(given.partner.others);
    for (const entry of given.partner.ledger) {
      add(this.#ledger, callName(entry), entry);
      if (this.#others.has(entry.seq)) add(this.#othersLedger, callName(entry), entry);
    }
    this.#hasOutcomes = given.outcomes !== undefined;
    this.#ledgerOfPass = Map.groupBy(given.partner.ledger, ({ passId }) => passId);
    for (const pass of given.partner.passes) this.#passesById.set(pass.passId, pass);
    this.#told = new Set(
      (given.outcomes ?? []).filter((outcome) => outcomeKind(outcome) === 'intent.delivered').map(causeOf),
    );
    this.#checkLists(given.lists);
  }

  find(rule: Rule, about: About | null, what: string, place?: string): void {
    const [program, member] = about ? [about.program, about.member] : [null, null];
    this.#findings.push({ rule, program, member, what, ...(place === undefined ? {} : { place }) });
  }

  count(bucket: Bucket): void {
    this.#buckets[bucket] += 1;
  }

  verdict(): Verdict {
    return { findings: this.#findings, buckets: this.#buckets, judged: this.judged };
  }

  lists(place: string): readonly ListEntry[] {
    return (this.#lists.get(place) ?? []).filter((entry) => !isLeftBehind(entry));
  }

  /** Whether what it asks for is owed to the member in whom the one that it names lives on, though it was told before that. */
  hasFollowed(place: string): boolean {
    return (this.#lists.get(place) ?? []).some(isLeftBehind);
  }

  /** Of several copies of one event any may be the one that was taken, stand in a list, and be told. */
  isCopy(place: string, copy: string): void {
    if (place === copy || this.#firsts.has(copy)) return;
    this.#copies.set(place, [...(this.#copies.get(place) ?? []), copy]);
    this.#firsts.set(copy, place);
  }

  /** The copy that counts, of which the others are told. */
  firstOf(place: string): string {
    return this.#firsts.get(place) ?? place;
  }

  /** Intents of a record that are not delivered: parked, cancelled, waiting or still open. */
  undone(place: string): readonly ListEntry[] {
    return this.#withCopies(place)
      .flatMap((each) => this.lists(each))
      .filter((entry) => entry.list !== 'quarantined' && !isBeside(entry));
  }

  /** Whether it stands in another partition, too, and may have been taken from there. */
  hasCopies(place: string): boolean {
    return this.#copies.has(place);
  }

  /** It may have been read as the same told again: then nothing came of it. */
  mayRepeat(place: string): void {
    this.#repeated.add(place);
  }

  mayBeRepeated(place: string): boolean {
    return this.#repeated.has(place);
  }

  #withCopies(place: string): readonly string[] {
    return [place, ...(this.#copies.get(place) ?? [])];
  }

  isResubmitted(place: string): boolean {
    return this.lists(place).some(({ dealtWith }) => dealtWith === 'resubmitted');
  }

  isSetAside(place: string): boolean {
    return this.lists(place).some(({ list, dealtWith }) => list === 'quarantined' && dealtWith !== 'resubmitted');
  }

  quarantineReason(place: string): string | null {
    return this.lists(place).find(({ list }) => list === 'quarantined')?.reason ?? null;
  }

  acts(place: string): readonly OperatorAct[] {
    return this.#acts.get(place) ?? [];
  }

  /** Whether the shop was told that it took effect. Believed only of effects that nobody can tell apart. */
  isTold(place: string): boolean {
    return this.#withCopies(place).some((each) => this.#told.has(each));
  }

  /** As `isTold`; where no outcomes are told, by what the partner has. */
  isShown(place: string, owner: About & { readonly terms: Program }, sent: Transaction): boolean {
    return this.#hasOutcomes ? this.isTold(place) : this.isAtPartner(owner, sent);
  }

  /** Whether the partner has something of the member with its type, time and number. */
  isAtPartner(
    { terms, member }: About & { readonly terms: Program },
    { transactionTypeId, timesMs, number }: Transaction,
  ): boolean {
    return this.ledger(terms, 'transaction').some(({ targetId, passId, body }) => {
      const isAlike = targetId === String(transactionTypeId) && timesMs.includes(sentTimeOf(body?.['transactionDate']));
      const hasNumber =
        number === undefined || textOf(objectOf(body?.['attributes'])[number.attribute]) === number.value;
      return isAlike && hasNumber && this.ownerOf(passId, terms) === member;
    });
  }

  /** Another system did what looks like it: it is not there, and was told as if it were. */
  explain(places: readonly string[]): void {
    for (const place of places) this.#explained.add(place);
  }

  isExplained(place: string): boolean {
    return this.#explained.has(place);
  }

  /** Whether an operator decided about it, so that what became of it is theirs to answer for. */
  isDecided(place: string): boolean {
    return this.#actsOn(place).some(({ act }) => ['replay', 'resolve', 'cancel', 'repair'].includes(act));
  }

  isErased(about: About): boolean {
    return this.#erased.has(nameOf(about));
  }

  erase(about: About): void {
    this.#erased.add(nameOf(about));
  }

  correction(place: string): JsonObject | undefined {
    return this.corrections(place).at(-1)?.data;
  }

  /** What people have said is to be sent instead, one after the other. */
  corrections(place: string): readonly OperatorAct[] {
    return this.#actsOn(place).filter(({ act, data }) => act === 'correct' && data);
  }

  /** Of several copies the one that was taken shows what people did. */
  #actsOn(place: string): readonly OperatorAct[] {
    return this.#withCopies(place).flatMap((each) => this.acts(each));
  }

  /** The record with the parts that an operator replaced when taking it in. */
  asTaken(record: SourceRecord): { readonly record: SourceRecord; readonly resubmitted: boolean } {
    const resubmitted = this.isResubmitted(record.place);
    if (!resubmitted) return { record, resubmitted };
    const corrected = this.acts(record.place).findLast(({ act }) => act === 'resubmit')?.corrected;
    return { record: { ...record, ...corrected }, resubmitted };
  }

  ledger(terms: Program, operation: string): readonly LedgerEntry[] {
    return this.#ledger.get(callName({ ...terms, operation })) ?? [];
  }

  /** What other systems are known to have caused. */
  others(terms: Program, operation: string): readonly LedgerEntry[] {
    return this.#othersLedger.get(callName({ ...terms, operation })) ?? [];
  }

  /** Another system moved the points of that member's pass: what is read from them then proves nothing. */
  othersMovedPoints({ terms, member }: { readonly terms: Program; readonly member: string }): boolean {
    return ['reward', 'transaction', 'update-via-workflow', 'scheduled-change'].some((operation) =>
      this.others(terms, operation).some((entry) => this.ownerOf(entry.passId, terms) === member),
    );
  }

  /** Everything that happened to a pass, in its order. */
  ledgerOf(passId: string): readonly LedgerEntry[] {
    return (this.#ledgerOfPass.get(passId) ?? []).toSorted((a, b) => a.seq - b.seq);
  }

  isOthers(entry: LedgerEntry): boolean {
    return this.#others.has(entry.seq);
  }

  pass(passId: string | null): PartnerPass | undefined {
    return passId === null ? undefined : this.#passesById.get(passId);
  }

  /** Whose pass it is, by the key that the caller put into its metaData. */
  ownerOf(passId: string | null, terms: Program): string | undefined {
    return textOf(at(this.pass(passId)?.passdata, `metaData.${terms.uniqueIdKey ?? 'memberId'}`));
  }

  /** In whatever program of the partner's. */
  hasPass(terms: Program, member: string): boolean {
    const key = terms.uniqueIdKey ?? 'memberId';
    let owners = this.#owners.get(key);
    if (!owners) {
      owners = new Set(this.given.partner.passes.map(({ passId }) => this.ownerOf(passId, terms)));
      this.#owners.set(key, owners);
    }
    return owners.has(member);
  }

  /** More effects than asked for that come from one call: the partner's own doing. */
  withoutPartnersOwn(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
    const calls = new Set<string>();
    return entries.filter((entry) => {
      const { requestId } = entry;
      const isAgain = requestId !== undefined && calls.has(requestId);
      if (isAgain) this.countAgain(entry);
      else if (requestId !== undefined) calls.add(requestId);
      return !isAgain;
    });
  }

  /** The second effect of one call, once: two sales may be asked about it, and it may show on a pass in many places. */
  countAgain({ seq }: LedgerEntry): void {
    if (this.#again.has(seq)) return;
    this.#again.add(seq);
    this.count('partner-applied-twice');
  }

  isLate(entry: LedgerEntry, terms: Program): boolean {
    const { arrivedAtMs, appliedAtMs } = entry;
    return arrivedAtMs !== undefined && appliedAtMs !== undefined && appliedAtMs - arrivedAtMs > inFlightMs(terms);
  }

  #checkLists(lists: readonly ListEntry[]): void {
    for (const { list, reason, place } of lists) {
      if (list === 'waiting' || list === 'open') continue;
      const isKnown = reasons[list]?.includes(reason ?? '') ?? (reason !== null && reason !== '');
      if (!isKnown) this.find('no-reason', null, `${list}: ${reason ?? 'nothing'}`, place);
    }
  }
}

/** `intent.delivered` */
export const outcomeKind = (outcome: JsonObject): string =>
  /loyalty\.([a-z]+\.[a-z]+)\.v1$/u.exec(textOf(outcome['type']) ?? '')?.[1] ?? '';

/** The place of the record that an outcome names as its cause. */
export function causeOf({ data }: JsonObject): string {
  const [topic, partition, offset] = ['topic', 'partition', 'offset'].map((name) => textOf(at(data, `cause.${name}`)));
  return `${topic ?? ''}/${partition ?? ''}/${offset ?? ''}`;
}

const callName = (call: {
  readonly brandId: string | number;
  readonly programId: string | number;
  readonly operation: string;
}): string => `${call.brandId}/${call.programId}/${call.operation}`;

function add(ledger: Map<string, LedgerEntry[]>, name: string, entry: LedgerEntry): void {
  const entries = ledger.get(name);
  if (entries) entries.push(entry);
  else ledger.set(name, [entry]);
}

export const inFlightMs = (terms: Program): number => terms.inFlightMs ?? inFlightDefaultMs;

const nameOf = ({ program, member }: { program?: string; member?: string }): string =>
  JSON.stringify([program, member]);
