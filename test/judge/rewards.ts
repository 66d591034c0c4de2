import { type Bucket, type LedgerEntry, type Rule } from './case.js';
import { type Evidence, inFlightMs } from './evidence.js';
import { rewardId } from './passes.js';
import { businessKey, isKnownBefore, isToldBefore, purchaseKey, type Told } from './read-records.js';
import { takenInMs, type Posted } from './transactions.js';
import { at, canonical, textOf } from './values.js';

/** Grants of one reward to one member: the partner's ledger cannot tell them apart. */
interface Group {
  readonly grants: Told[];
  /** Revocations whose program maps one to this reward. */
  readonly takenBack: Told[];
  readonly entries: LedgerEntry[];
}

/** Is each reward there once; what was revoked there no more than the revocations allow. */
export function judgeRewards(events: readonly Told[], evidence: Evidence): Posted {
  const byGrant = (kind: string): ReadonlyMap<string, readonly Told[]> =>
    Map.groupBy(
      events.filter((event) => event.kind === kind),
      (event) => grantName(event),
    );
  const [grants, revocations] = [byGrant('reward.granted'), byGrant('reward.revoked')];
  const told = events.filter((event) => event.kind !== 'reward.revoked' || mayTakeBack(event, { grants, evidence }));
  const groups = groupsOf(withoutRepeated(told, revocations, evidence), evidence);
  const posted = new Map<string, readonly LedgerEntry[]>();
  const sales = receiptsOf(events, 'purchase.completed');
  const voids = receiptsOf(events, 'purchase.voided');
  const context = { grants, revocations, groups, evidence, posted, sales, voids };
  for (const group of groups.values()) judgeGroup(group, context);
  for (const revocation of [...revocations.values()].flat()) {
    judgeRevocation(revocation, { grants, revocations, posted, evidence });
  }
  return posted;
}

type ByReceipt = ReadonlyMap<string, readonly Told[]>;

const receiptsOf = (events: readonly Told[], kind: Told['kind']): ByReceipt =>
  Map.groupBy(
    events.filter((event) => event.kind === kind),
    (event) => purchaseKey(event),
  );

interface Context {
  readonly sales: ByReceipt;
  readonly voids: ByReceipt;
  /** Both by the grant that they name. */
  readonly grants: ReadonlyMap<string, readonly Told[]>;
  readonly revocations: ReadonlyMap<string, readonly Told[]>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly evidence: Evidence;
  readonly posted: Map<string, readonly LedgerEntry[]>;
}

/** Who revokes what nobody granted, or what was cancelled, takes nothing back. */
function mayTakeBack(revocation: Told, { grants, evidence }: Pick<Context, 'grants' | 'evidence'>): boolean {
  const own = grants.get(grantName(revocation)) ?? [];
  const isCancelled = own.some(({ place }) => evidence.undone(place).some(({ list }) => list === 'cancelled'));
  return own.length > 0 && !isCancelled;
}

/** What is revoked once more is taken back once; of several partitions whichever was read first may be the one. */
function withoutRepeated(
  events: readonly Told[],
  revocations: Context['revocations'],
  evidence: Evidence,
): readonly Told[] {
  return events.filter((event) => {
    const [first = event] = event.kind === 'reward.revoked' ? (revocations.get(grantName(event)) ?? []) : [];
    if (first !== event && first.lane !== event.lane) evidence.isCopy(first.place, event.place);
    return first === event;
  });
}

function groupsOf(events: readonly Told[], evidence: Evidence): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  const groupAt = (name: string): Group => {
    const group = groups.get(name) ?? { grants: [], takenBack: [], entries: [] };
    groups.set(name, group);
    return group;
  };
  for (const event of events) {
    const id = idOf(event);
    if (id === undefined) continue;
    const group = groupAt(groupName(event, id));
    (event.kind === 'reward.granted' ? group.grants : group.takenBack).push(event);
  }
  for (const entry of ownEntries(evidence)) {
    groupAt(canonical([entry.brandId, entry.programId, entry.owner, entry.targetId])).entries.push(entry);
  }
  return groups;
}

const groupName = ({ terms: { brandId, programId }, member }: Told, id: string): string =>
  canonical([String(brandId), String(programId), member, id]);

/** The partner's reward that an event asks for. */
function idOf({ kind, terms, data }: Told): string | undefined {
  if (kind === 'reward.revoked') return terms.revoked?.via === 'reward' ? String(terms.revoked.id) : undefined;
  const mapping = kind === 'reward.granted' ? terms.rewards?.[textOf(data['reward']) ?? ''] : undefined;
  return mapping === undefined ? undefined : rewardId(mapping);
}

function ownEntries(evidence: Evidence): readonly (LedgerEntry & { readonly owner: string | undefined })[] {
  const entries = new Map<LedgerEntry, string | undefined>();
  for (const terms of Object.values(evidence.given.programs.programs)) {
    for (const entry of evidence.ledger(terms, 'reward')) entries.set(entry, evidence.ownerOf(entry.passId, terms));
  }
  return [...entries].flatMap(([entry, owner]) => {
    if (evidence.isOthers(entry)) evidence.count('somebody-elses-effect');
    return evidence.isOthers(entry) ? [] : [{ ...entry, owner }];
  });
}

function judgeGroup({ grants, takenBack, entries }: Group, context: Context): void {
  const { evidence, posted } = context;
  evidence.judged.rewards += grants.length;
  const [one] = [...grants, ...takenBack];
  if (!one) {
    for (const { seq, targetId } of entries) {
      evidence.find('reward-unasked', null, `ledger ${seq}: reward ${targetId ?? ''}`);
    }
    return;
  }
  const standings = grants.map((grant) => standingOf(grant, context));
  const least = standings.filter(({ must }) => must).length + takenBackOf(one, standings, context);
  const most = standings.filter(({ may }) => may).length + takenBack.length;
  const calls = evidence.withoutPartnersOwn(entries);
  if (calls.length > most) judgeTooMany({ one, calls, most, standings, evidence });
  if (calls.length < least) judgeTooFew({ one, calls, least, grants, evidence });
  for (const [index, { place }] of inLikelihood(standings, takenBack, evidence).entries()) {
    const entry = calls[index];
    if (entry) posted.set(place, [entry]);
  }
  judgeLater(standings, callsOfGrants(calls, takenBack, evidence), evidence);
  for (const grant of grants) if (posted.has(grant.place)) judgeSpending(grant, context);
}

/** What spends points goes after the sales before it, those that are held, too. What a person has decided on came when they said. */
function judgeSpending(grant: Told, { sales, evidence }: Context): void {
  if (!spendsPoints(grant) || evidence.isDecided(grant.place)) return;
  const isPassed = (sale: Told): boolean =>
    sale.program === grant.program &&
    sale.member === grant.member &&
    isKnownBefore(sale, grant) &&
    !evidence.isDecided(sale.place) &&
    evidence.undone(sale.place).some(({ list, reason }) => list === 'parked' && reason === 'held');
  const passed = [...sales.values()].flat().find(isPassed);
  if (passed === undefined) return;
  evidence.find('reward-before-sale', grant, `${businessKey(passed)} is still held`, grant.place);
}

/** As the programs file says, else where it takes points. */
function spendsPoints({ terms, data }: Told): boolean {
  const mapping = terms.rewards?.[textOf(data['reward']) ?? ''];
  if (typeof mapping !== 'object') return false;
  return mapping.spendsPoints ?? (mapping.pointsDelta ?? 0) < 0;
}

/** Those that revocations which took effect, or may have, do not explain. What is taken back by the same reward comes after it was given. */
function callsOfGrants(
  calls: readonly LedgerEntry[],
  takenBack: readonly Told[],
  evidence: Evidence,
): readonly LedgerEntry[] {
  if (takenBack.length === 0) return calls;
  const mayHaveHappened = takenBack.filter(({ place }) =>
    evidence.undone(place).every(({ reason }) => reason === 'unknown-outcome'),
  );
  return calls.length > mayHaveHappened.length ? calls.slice(0, 1) : [];
}

/**
 * Whose effect is whose nobody can tell. Those that must be there come first, then those of which the shop was told so,
 * those that a list denies last. One that must not be there has none: there are too many then, which is said.
 */
function inLikelihood(standings: readonly Standing[], takenBack: readonly Told[], evidence: Evidence): readonly Told[] {
  const possible = standings.filter(({ may }) => may);
  const granted = possible.map(({ grant, must, isListed }) => ({
    event: grant,
    likelihood: 8 * Number(must) + 4 * Number(evidence.isTold(grant.place)) + 2 + Number(!isListed),
  }));
  const revoked = takenBack.map((event) => ({
    event,
    likelihood: 4 * Number(evidence.isTold(event.place)) + 2 + Number(evidence.undone(event.place).length === 0),
  }));
  return [...granted, ...revoked].sort((a, b) => b.likelihood - a.likelihood).map(({ event }) => event);
}

/**
 * Who takes a reward back by a call must have given it: so many of the revoked ones are there, too. Where the same reward
 * is also granted, its calls may all be of those grants, and each revocation of another reward may have made one.
 */
function takenBackOf(one: Told, standings: readonly Standing[], { groups }: Context): number {
  const { via, id } = one.terms.revoked ?? {};
  const group = via === 'reward' ? groups.get(groupName(one, String(id))) : undefined;
  if (!group) return 0;
  const own = new Set(standings.map(({ grant }) => grantName(grant)));
  const ofOthers = group.takenBack.filter((revocation) => !own.has(grantName(revocation)));
  const calls = Math.max(0, group.entries.length - group.grants.length - ofOthers.length);
  return Math.min(calls, standings.filter(({ must, may }) => may && !must).length);
}

interface Standing {
  readonly grant: Told;
  /** The sale that it names was voided, and both were known before it. */
  readonly isOfNoSale: boolean;
  readonly must: boolean;
  readonly may: boolean;
  /** Stands in a list of what is not delivered. */
  readonly isListed: boolean;
  /** Until when a call for it may arrive, where it was revoked. */
  readonly untilMs: number | undefined;
  /** From when on no call for it may arrive: it was good until then. */
  readonly overMs: number | undefined;
}

/** Every sale of the number that it names is cancelled, or taken back, and was known before it, as was the void. */
function saleOf(grant: Told, { sales, voids, evidence }: Context): 'cancelled' | 'taken-back' | 'there' {
  if (grant.data['purchaseId'] === undefined) return 'there';
  const named = (sales.get(purchaseKey(grant)) ?? []).map((sale) => ({ sale, lists: evidence.undone(sale.place) }));
  const own = (voids.get(purchaseKey(grant)) ?? []).filter((one) => isKnownBefore(one, grant));
  if (named.length === 0 || own.length === 0 || !named.every(({ sale }) => isKnownBefore(sale, grant))) return 'there';
  const isCancelled = ({ lists }: { lists: readonly { readonly list: string }[] }): boolean =>
    lists.some(({ list }) => list === 'cancelled');
  if (named.every(isCancelled)) return 'cancelled';
  const tookEffect = own.filter(({ place }) => evidence.undone(place).length === 0 && !evidence.isDecided(place));
  const isTakenBack = ({ sale }: { sale: Told }): boolean =>
    tookEffect.some((one) => one.lane === sale.lane && sale.rank < one.rank && one.member === sale.member);
  return named.every((one) => isCancelled(one) || isTakenBack(one)) ? 'taken-back' : 'there';
}

function standingOf(grant: Told, context: Context): Standing {
  const { revocations, evidence } = context;
  const own = revocations.get(grantName(grant)) ?? [];
  const lists = evidence.undone(grant.place);
  const isRefused = lists.some(
    ({ list, reason }) =>
      list === 'cancelled' ||
      ['rejected', 'missing-pass', 'missing-purchase', 'not-a-member', 'expired', 'held'].includes(reason ?? ''),
  );
  const readByMs = own.map(({ record }) => record.readByMs).find((ms) => ms !== undefined);
  const wasFirst = own.some((revocation) => isFirst(revocation, grant, evidence));
  const isDecided = evidence.isDecided(grant.place);
  const sale = saleOf(grant, context);
  return {
    grant,
    isOfNoSale: sale !== 'there',
    must: lists.length === 0 && own.length === 0 && !isDecided && sale !== 'cancelled' && !isExcused(grant, evidence),
    may: isDecided || !(isRefused || wasFirst || sale !== 'there'),
    isListed: lists.length > 0,
    untilMs: readByMs === undefined ? undefined : readByMs + inFlightMs(grant.terms),
    overMs: overMs(grant),
  };
}

const isExcused = (grant: Told, evidence: Evidence): boolean =>
  evidence.isErased(grant) || evidence.mayBeRepeated(grant.place);

/** Its `validUntil`, and the time that a call which began before may take. */
function overMs({ data, terms }: Told): number | undefined {
  const validUntil = Date.parse(textOf(data['validUntil']) ?? '');
  return Number.isNaN(validUntil) ? undefined : validUntil + inFlightMs(terms);
}

/** Revoked before it was granted, or read before an operator took the grant in. */
function isFirst(revocation: Told, grant: Told, evidence: Evidence): boolean {
  const { readByMs = Infinity } = revocation.record;
  return isToldBefore(revocation, grant, evidence) || readByMs < (takenInMs(grant, evidence) ?? -Infinity);
}

const grantName = ({ program, terms, member, data }: Told): string =>
  canonical([program, member, ...(terms.grantKey ?? ['grantId']).map((path) => at(data, path))]);

interface TooMany {
  readonly one: Told;
  readonly calls: readonly LedgerEntry[];
  readonly most: number;
  readonly standings: readonly Standing[];
  readonly evidence: Evidence;
}

function judgeTooMany(many: TooMany): void {
  const { one, calls, most, standings, evidence } = many;
  const bucket = bucketOf(many);
  if (bucket) {
    evidence.count(bucket);
    return;
  }
  const [barred] = standings.filter(({ may }) => !may).sort((a, b) => Number(a.isListed) - Number(b.isListed));
  evidence.find(ruleOf(barred), one, `${calls.length} are there, ${most} may be`, (barred?.grant ?? one).place);
}

function ruleOf(barred: Standing | undefined): Rule {
  if (!barred) return 'reward-twice';
  if (barred.isListed) return 'refused-yet-there';
  return barred.isOfNoSale ? 'reward-of-no-sale' : 'reward-though-revoked';
}

function bucketOf({ one, calls, most, standings, evidence }: TooMany): Bucket | undefined {
  const inTime = calls.filter((entry) => !evidence.isLate(entry, one.terms));
  if (inTime.length <= most) return 'partner-applied-late';
  if (standings.some(({ grant }) => evidence.isDecided(grant.place))) return 'operator-decided';
  return one.terms.onUnknown?.['reward'] === 'resend' ? 'resent-as-asked' : undefined;
}

interface TooFew {
  readonly one: Told;
  readonly calls: readonly LedgerEntry[];
  readonly least: number;
  readonly grants: readonly Told[];
  readonly evidence: Evidence;
}

function judgeTooFew({ one, calls, least, grants, evidence }: TooFew): void {
  if (one.terms.onUnknown?.['reward'] === 'probe' && evidence.othersMovedPoints(one)) {
    evidence.count('somebody-elses-points');
    evidence.explain(grants.map(({ place }) => place));
    return;
  }
  const keys = grants.map((grant) => businessKey(grant)).join(' ');
  evidence.find('reward-missing', one, `${calls.length} are there, ${least} must be: ${keys}`, one.place);
}

/** A single grant: no call for it may arrive after its revocation was read, nor after it was good for anything. */
function judgeLater(standings: readonly Standing[], calls: readonly LedgerEntry[], evidence: Evidence): void {
  const [only] = standings;
  if (standings.length !== 1 || only === undefined || evidence.isDecided(only.grant.place)) return;
  const { grant, untilMs = Infinity, overMs: over = Infinity } = only;
  const arrivedAfter = (ms: number): boolean => calls.some(({ arrivedAtMs = -Infinity }) => arrivedAtMs > ms);
  if (arrivedAfter(untilMs)) {
    evidence.find('reward-though-revoked', grant, 'its call arrived after it was revoked', grant.place);
  }
  if (arrivedAfter(over) && evidence.correction(grant.place) === undefined) {
    evidence.find('reward-though-expired', grant, 'its call arrived after its validUntil', grant.place);
  }
}

interface Revoked {
  readonly grants: ReadonlyMap<string, readonly Told[]>;
  readonly revocations: ReadonlyMap<string, readonly Told[]>;
  readonly posted: Posted;
  readonly evidence: Evidence;
}

/** Too late to cancel, and nothing is mapped for it: a person must be told. */
function judgeRevocation(revocation: Told, { grants, revocations, posted, evidence }: Revoked): void {
  const [grant] = grants.get(grantName(revocation)) ?? [];
  if (!grant || !posted.has(grant.place) || evidence.isErased(revocation)) return;
  const isRepeated = revocations.get(grantName(revocation))?.some((event) => event.rank < revocation.rank);
  if (isRepeated === true || posted.has(revocation.place) || evidence.undone(revocation.place).length > 0) return;
  if (evidence.undone(grant.place).length > 0) return;
  evidence.find('revocation-vanished', revocation, 'its reward is there, and it stands in no list', revocation.place);
}
