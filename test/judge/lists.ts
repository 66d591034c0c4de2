import { type Absorbers, absorbersIn, isOfAbsorbed, lives } from './absorbed.js';
import { type LedgerEntry, type ListEntry } from './case.js';
import { type Evidence } from './evidence.js';
import { changesOf, isStale, mayBeStale, statedBy } from './passes.js';
import { campaignOf, purchaseKey, refundKey, type Told, voidedKey } from './read-records.js';
import { type Posted } from './transactions.js';
import { at, canonical, textOf } from './values.js';

const refusals = ['rejected', 'missing-pass', 'not-a-member', 'missing-purchase', 'over-refund', 'expired', 'held'];

/** Is what the lists say so: whose it is, that it is not there, and that somebody took back what was cancelled. */
export function judgeLists(events: readonly Told[], posted: Posted, evidence: Evidence): void {
  const takenBack = takenBackBy(events, evidence);
  for (const event of events) {
    for (const entry of evidence.lists(event.place)) {
      if (typeof entry.member === 'string' && !isOf(event, entry.member, takenBack)) {
        evidence.find('list-wrong', event, `${entry.list} under ${entry.member}`, event.place);
      }
    }
    for (const entry of evidence.undone(event.place)) {
      const listed = { event, entry, effects: posted.get(event.place) ?? [], evidence };
      judgePresence(listed);
      judgeCancellation(listed, takenBack);
      judgeHeld(listed);
    }
    judgeForPeople(event, evidence);
  }
  judgeVoidsOfNothing(events, evidence);
}

/** Whether it may stand in a list under that name. */
function isOf(event: Told, member: string, { absorbers }: TakenBack): boolean {
  return [event.member, event.absorbed].includes(member) || isOfAbsorbed(event, member, absorbers);
}

/** A void whose purchase nobody told stands in a list, of several that tell of one any; without a card most are, and count. */
function judgeVoidsOfNothing(events: readonly Told[], evidence: Evidence): void {
  const known = new Set(events.flatMap(voidableKey));
  const voids = events.filter(({ kind }) => kind === 'purchase.voided' || kind === 'refund.voided');
  for (const [key, told] of Map.groupBy(voids, (event) => voidedKey(event))) {
    const [first] = told;
    const asks = told.some((event) => event.named !== '' && event.isOfUnclaimed !== true && !evidence.isErased(event));
    if (first === undefined || known.has(key) || !asks) continue;
    if (told.some(({ place }) => evidence.lists(place).length > 0)) continue;
    evidence.find('vanished', first, 'what it voids was never told, and nobody sees it', first.place);
  }
}

/** By which a void may mean it. */
function voidableKey(event: Told): string[] {
  if (event.kind === 'purchase.completed') return [purchaseKey(event)];
  return event.kind === 'purchase.refunded' ? [refundKey(event, event.data)] : [];
}

/** A merge, and an opt-out that the program cannot send, are for a person: nothing else can carry them. */
function judgeForPeople(event: Told, evidence: Evidence): void {
  const isMerge = event.kind === 'member.merged' || event.kind === 'member.unmerged';
  const hasNoCall = event.data['scope'] === 'email' || (event.terms.update?.via ?? 'none') === 'none';
  const isUnsendable = event.kind === 'member.opted-out' && hasNoCall;
  if (!(isMerge || isUnsendable) || evidence.undone(event.place).length > 0 || evidence.isErased(event)) return;
  evidence.find('vanished', event, `${event.kind}: no call can carry it, and nobody is told`, event.place);
}

/** Nothing passes what is about consent or the card itself. */
function judgeHeld({ event, entry, evidence }: Listed): void {
  if (entry.list !== 'parked' || entry.reason !== 'held' || !event.kind.startsWith('member.')) return;
  evidence.find('held-wrongly', event, `${event.kind} stepped aside`, event.place);
}

interface TakenBack {
  readonly absorbers: Absorbers;
  /** Who left the program or asked to be erased, with all events that say so. */
  readonly leavings: ReadonlyMap<string, readonly Told[]>;
  /** Members who enrolled, with all that was told with it. */
  readonly enrolments: ReadonlyMap<string, readonly Told[]>;
  readonly updates: ReadonlyMap<string, readonly Told[]>;
  /** Keys of purchases and refunds that were voided. */
  readonly purchases: ReadonlySet<string>;
  readonly grants: ReadonlySet<string>;
  /** Grants of what is given once, by program and campaign. */
  readonly campaigns: ReadonlyMap<string | undefined, readonly Told[]>;
  /**
   * Purchases and grants that stand as cancelled, or as a contradiction in its place, or did until a person decided: a counter-entry
   * has nothing to take back.
   */
  readonly cancelled: ReadonlySet<string>;
}

const memberName = ({ program, member }: Told): string => JSON.stringify([program, member]);
const grantName = ({ program, terms, data }: Told): string =>
  canonical(['grant', program, ...(terms.grantKey ?? ['grantId']).map((path) => at(data, path))]);

function campaignName(event: Told): string | undefined {
  const campaign = campaignOf(event);
  return campaign === undefined ? undefined : canonical(['campaign', event.program, campaign]);
}

/** Of two grants that may be one, either may have been taken back. */
function revokedNames(event: Told): string[] {
  const { ownData = event.data } = event;
  return [grantName(event), grantName({ ...event, data: ownData })];
}

function takenBackBy(events: readonly Told[], evidence: Evidence): TakenBack {
  const isCancelled = ({ place }: Told): boolean =>
    evidence.isDecided(place) ||
    evidence.undone(place).some(({ list, reason }) => list === 'cancelled' || reason === 'conflict');
  const of = (kind: string): readonly Told[] => events.filter((event) => event.kind === kind);
  const leaving = of('member.opted-out').filter(({ data }) => data['scope'] === 'program' || data['erase'] === true);
  return {
    absorbers: absorbersIn(events),
    leavings: Map.groupBy(leaving, memberName),
    enrolments: Map.groupBy(of('member.enrolled'), memberName),
    updates: Map.groupBy(of('member.updated'), memberName),
    purchases: new Set([...of('purchase.voided'), ...of('refund.voided')].map((event) => voidedKey(event))),
    grants: new Set(of('reward.revoked').flatMap(revokedNames)),
    campaigns: Map.groupBy(of('reward.granted'), campaignName),
    cancelled: new Set([
      ...[...of('purchase.completed'), ...of('purchase.refunded')].filter(isCancelled).flatMap(voidableKey),
      ...of('reward.granted').filter(isCancelled).map(grantName),
    ]),
  };
}

/**
 * An enrolment goes ahead of the updates that wait for it: what it says itself, and newer, is not sent once more. What a
 * newer update had said before was never to be sent.
 */
function isOvertaken(update: Told, { updates, enrolments }: TakenBack): boolean {
  const newer = (updates.get(memberName(update)) ?? []).filter((one) => mayBeStale(update, one)).map(changesOf);
  return (enrolments.get(memberName(update)) ?? []).some((enrolment) => {
    const said = [statedBy(enrolment.corrected ?? enrolment.data), ...newer];
    const isSaid = (path: string): boolean => said.some((paths) => paths.has(path));
    return !isStale(enrolment, update) && [...changesOf(update).keys()].every(isSaid);
  });
}

interface Listed {
  readonly event: Told;
  readonly entry: ListEntry;
  readonly effects: readonly LedgerEntry[];
  readonly evidence: Evidence;
}

function judgePresence({ event, entry, effects, evidence }: Listed): void {
  const inTime = effects.filter((effect) => !evidence.isLate(effect, event.terms));
  if (inTime.length === 0 || evidence.isDecided(event.place)) return;
  const seqs = inTime.map(({ seq }) => seq).join(', ');
  if (entry.list === 'cancelled') evidence.find('cancelled-yet-there', event, `ledger ${seqs}`, event.place);
  else if (entry.list === 'parked' && refusals.includes(entry.reason ?? '')) {
    evidence.find('refused-yet-there', event, `ledger ${seqs}`, event.place);
  }
}

function judgeCancellation(listed: Listed, takenBack: TakenBack): void {
  const { event, entry, evidence } = listed;
  if (entry.list !== 'cancelled' || mayBeCancelled(listed, takenBack)) return;
  evidence.find('cancelled-unasked', event, entry.reason ?? '', event.place);
}

/**
 * An opt-out of somebody who has no pass, or whose consent is newer, is cancelled. Whoever has one, and enrolled in the
 * same lane before and not since, is to be left alone. Of copies in several partitions any may have been read first.
 */
function hasNothingToLeave({ event, entry, evidence }: Listed, { enrolments }: TakenBack): boolean {
  // It takes away the cards of all who live on in its member, too.
  const member = entry.member ?? event.member;
  const all = enrolments.get(memberName({ ...event, member })) ?? [];
  const isBefore = (one: Told): boolean => one.lane === event.lane && one.rank < event.rank && isStale(one, event);
  const isOwed =
    all.length > 0 &&
    entry.place === event.place &&
    all.every((one) => isBefore(one) && evidence.undone(one.place).length === 0);
  return !isOwed || !evidence.hasPass(event.terms, member);
}

/** The sale that a reward names was voided, or stands as cancelled. */
const isOfNoSale = (event: Told, { purchases, cancelled }: TakenBack): boolean =>
  purchases.has(purchaseKey(event)) || cancelled.has(purchaseKey(event));

/** What is given once was granted anew when the first grant was past its time. Members who were merged are one. */
function isGrantedAnew({ event, entry }: Listed, { campaigns, absorbers }: TakenBack): boolean {
  const campaign = campaignName(event);
  if (entry.reason !== 'granted-anew' || campaign === undefined || !textOf(event.data['validUntil'])) return false;
  const isOfOne = (one: Told): boolean =>
    one.member === event.member ||
    lives(one.program, one.member, absorbers).includes(event.member) ||
    lives(event.program, event.member, absorbers).includes(one.member);
  return (campaigns.get(campaign) ?? []).some((one) => grantName(one) !== grantName(event) && isOfOne(one));
}

function mayBeCancelled(listed: Listed, takenBack: TakenBack): boolean {
  const { event, evidence } = listed;
  const { leavings, absorbers, purchases, grants, cancelled } = takenBack;
  if (evidence.isDecided(event.place) || evidence.isErased(event) || event.isOfUnclaimed === true) return true;
  const leavers = [event.member, ...lives(event.program, event.member, absorbers)];
  const leftBy = leavers.flatMap((member) => leavings.get(memberName({ ...event, member })) ?? []);
  if (leftBy.some((one) => one !== event)) return true;
  const may: { readonly [kind: string]: (() => boolean) | undefined } = {
    'purchase.completed': () => purchases.has(purchaseKey(event)),
    'purchase.refunded': () => purchases.has(refundKey(event, event.data)),
    'purchase.voided': () => cancelled.has(purchaseKey(event)),
    // Its sale says it itself, which is judged there.
    'purchase.corrected': () => listed.entry.reason === 'corrected',
    'refund.voided': () => cancelled.has(voidedKey(event)),
    'reward.granted': () =>
      grants.has(grantName(event)) || isOfNoSale(event, takenBack) || isGrantedAnew(listed, takenBack),
    'reward.revoked': () => cancelled.has(grantName(event)),
    'member.updated': () => isOvertaken(event, takenBack),
    'member.opted-out': () => hasNothingToLeave(listed, takenBack),
  };
  return may[event.kind]?.() ?? false;
}
