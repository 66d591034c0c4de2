import type {
  BusinessKey,
  CancelRequest,
  IdentityPlace,
  KnownIdentity,
  MemberEffects,
  MembersDue,
  RoutedIntent,
} from '#intents/core';
import { keyedIntent } from '#intents/core';

import { isOptOutType } from '../events/opt-outs.js';
import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import type { IdentityToInsert, JudgedRecord, KnownMembers, RecordIdentity } from './identities.js';
import { cancelledLanes, noDigest, noMembersLane } from './identities.js';
import type { MemberName } from './members.js';
import { memberKey, namesOf } from './members.js';
import { beyondLimit, type OwnWords } from './own-words.js';
import type { IntentToPlace, PlacedIntent } from './place-intents.js';
import type { ProfileMarkTable, TakenEnrolment } from './profile-marks.js';
import type { PreparedRecord, RecordResult } from './recording.js';

/** The corrected content that a repeated enrolment brings. */
export interface CorrectionToDo {
  readonly of: IdentityPlace;
  readonly intent: RoutedIntent;
  /** Paths of which something newer has spoken: what the content says of them already stays. */
  readonly overtaken: ReadonlySet<string>;
}

/** A record's request to cancel an earlier intent. */
export interface CancelToDo {
  readonly cancel: CancelRequest;
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
}

/** What a record does to its member. */
interface MemberEffectsToDo {
  readonly member: MemberName;
  readonly effects: MemberEffects;
  /** Epoch ms; null: as it is recorded. */
  readonly happenedAt: number | null;
}

/** A record that leads to no intent of its own. */
interface Noop {
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
}

/** Everything that one segment is going to write. */
export interface SegmentPlan {
  readonly results: RecordResult[];
  readonly intents: IntentToPlace[];
  readonly cancels: CancelToDo[];
  readonly corrections: CorrectionToDo[];
  readonly enrolments: TakenEnrolment[];
  /** First enrolments of members who enrol once more. */
  readonly enrolledAgain: IdentityPlace[];
  readonly memberEffects: MemberEffectsToDo[];
  readonly quarantine: RecordAside[];
  readonly noops: Noop[];
  /** Numbers under which something is told again that is known by another one. */
  readonly otherNumbers: OtherNumber[];
}

/** A record that is set aside, and why. */
export interface RecordAside extends Pick<RecordToQuarantine, 'reason' | 'detail' | 'isWithheld'> {
  readonly record: PreparedRecord;
  /** A half of it takes effect; a person decides about the other one. */
  readonly isHalf?: true;
}

interface OtherNumber {
  readonly identity: RecordIdentity;
  readonly of: IdentityPlace | null;
}

type Routed = Extract<PreparedRecord['verdict'], { kind: 'routed' }>;
type Identified = Extract<JudgedRecord, { identity: RecordIdentity }>;

/** It changes a profile, so that it has a place among what others say of the same profile. */
export function isOrdered({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && verdict.profilePosition !== null;
}

function enrolledMember({ verdict }: PreparedRecord): string | null {
  if (verdict.kind !== 'routed') return null;
  const enrolment = verdict.intents.find((intent) => intent.businessKey?.scope === 'enrolment');
  return enrolment === undefined ? null : memberKey(enrolment);
}

/** The record cancels what was recorded before, or changes its member. */
export function hasConsequences({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && (verdict.cancels.length > 0 || verdict.memberEffects !== null);
}

/** It corrects a sale, perhaps one of right before it. */
const isCorrection = ({ verdict }: PreparedRecord): boolean =>
  verdict.kind === 'routed' && verdict.intents[0]?.corrects !== undefined;

/** The member whose profile the record changes. */
function changedMember(record: PreparedRecord): string | null {
  const { verdict } = record;
  const intent = verdict.kind === 'routed' && isOrdered(record) ? verdict.intents[0] : undefined;
  return intent === undefined ? null : memberKey(intent);
}

const receiptName = ({ program }: Pick<RoutedIntent, 'program'>, { parts }: BusinessKey): string =>
  JSON.stringify([program, ...parts]);

/** What is known by another number depends on what became of the first under it. */
const aliasName = (intent: RoutedIntent | undefined): string | null =>
  intent?.alias === undefined ? null : `alias ${receiptName(intent, intent.alias.key)}`;

/** The receipt of a sale, with a card or without one; null: it is none. */
function soldReceipt({ verdict }: PreparedRecord): string | null {
  if (verdict.kind === 'ignored') return verdict.receipt ? receiptName(verdict.receipt, verdict.receipt.key) : null;
  const intent = verdict.kind === 'routed' ? verdict.intents[0] : undefined;
  return intent?.businessKey?.scope === 'purchase' ? receiptName(intent, intent.businessKey) : null;
}

/** Names of what may have been changed before so that the record depends on it: its member where it enrols, a sale's receipt. */
function dependsOn(record: PreparedRecord): (string | null)[] {
  const { verdict } = record;
  const intent = verdict.kind === 'routed' ? verdict.intents[0] : undefined;
  return [enrolledMember(record), soldReceipt(record), aliasName(intent)];
}

/** Names of what the record changes for those behind it. */
function changes(record: PreparedRecord): (string | null)[] {
  const { verdict } = record;
  const intent = verdict.kind === 'routed' ? verdict.intents[0] : undefined;
  const taken = intent?.ofReceipt ? receiptName(intent, intent.ofReceipt.key) : null;
  const unclaimed = verdict.kind === 'ignored' ? soldReceipt(record) : null;
  return [enrolledMember(record), changedMember(record), taken, unclaimed, aliasName(intent)];
}

/**
 * Cuts a chunk where a record depends on what the records before it did: one that cancels, corrects or changes its member stands
 * alone, an enrolment begins a new segment behind another one of its member, or behind an update, and a sale behind what took it
 * back before it came. Everything else goes together.
 */
export function cutIntoSegments(records: readonly PreparedRecord[]): PreparedRecord[][] {
  const segments: PreparedRecord[][] = [];
  let open: PreparedRecord[] = [];
  let changed = new Set<string | null>();
  const cut = (): void => {
    if (open.length > 0) segments.push(open);
    open = [];
    changed = new Set();
  };
  for (const record of records) {
    const standsAlone = hasConsequences(record) || isCorrection(record);
    // Most chunks change nothing: then no name is made.
    const depends = changed.size > 0 && dependsOn(record).some((name) => name !== null && changed.has(name));
    if (standsAlone || depends) cut();
    open.push(record);
    for (const name of changes(record)) if (name !== null) changed.add(name);
    if (standsAlone) cut();
  }
  cut();
  return segments;
}

/** Plans the records of one segment, in order. Deterministic: a repeated transaction decides the same. */
class SegmentPlanner {
  readonly plan: SegmentPlan = {
    results: [],
    intents: [],
    cancels: [],
    corrections: [],
    enrolments: [],
    enrolledAgain: [],
    memberEffects: [],
    quarantine: [],
    noops: [],
    otherNumbers: [],
  };

  /** Keys, as hex, of what was set aside by what it takes back, or as of an erased member: the same again is set aside for the same. */
  private readonly withheld = new Map<string, Withheld>();

  constructor(
    private readonly profiles: ProfileMarkTable,
    private readonly lookup: PlanLookup,
  ) {}

  add(judged: JudgedRecord): void {
    if (judged.identity === null) this.addUnidentified(judged.record);
    else this.addIdentified(judged);
  }

  private addIdentified(item: Identified): void {
    const withheld = this.withheldBefore(item);
    if (withheld !== null) {
      this.withholdAgain(item, withheld);
      return;
    }
    switch (item.verdict.kind) {
      case 'new':
        if (this.isOfErased(item.record)) this.addOfErased(item);
        else this.addFresh(item);
        return;
      case 'duplicate-event':
        this.plan.results.push({ kind: 'ignored', reason: 'duplicate-event' });
        return;
      case 'duplicate-business-key':
        if (item.verdict.isByAlias === true) {
          this.plan.otherNumbers.push({ identity: item.identity, of: item.verdict.of });
        }
        if (item.identity.isEnrolment) this.addAgain(item, item.verdict.of);
        this.ignore(item, 'duplicate-business-key');
        return;
      case 'conflict':
        this.addConflict(item, item.verdict.detail);
        return;
      case 'forgotten':
        this.addForgotten(item);
        return;
      case 'sold-again':
        if (this.isOfErased(item.record)) this.addOfErased(item);
        else this.addSoldAgain(item);
        return;
      case 'enrolment-changed':
        this.addChangedEnrolment(item, item.verdict.of);
    }
  }

  private addConflict(item: Identified, detail: string): void {
    const isOfErased = this.isOfErased(item.record);
    if (detail === inQuarantine) this.addDisputed(item, isOfErased);
    else this.setAside(item.record, { reason: 'conflict', detail, ...(isOfErased ? { isWithheld: true } : {}) });
  }

  private addDisputed(item: Identified, isOfErased: boolean): void {
    if (isOfErased) {
      this.addOfErased(item);
      return;
    }
    this.withhold(item.identity, inQuarantine);
    this.setAside(item.record, { reason: 'conflict', detail: inQuarantine });
  }

  /** Whether it is a sale of its own only a person knows; taken in, it is sent as any other. */
  private addSoldAgain(item: Identified): void {
    const { verdict } = item.record;
    if (verdict.kind !== 'routed') return;
    const detail = whyNotAgain(item, verdict);
    if (detail === null) {
      this.addRouted(item, verdict);
      return;
    }
    const parked = { reason: 'conflict', detail } as const;
    const intents = verdict.intents.map((intent) => ({ ...intent, parked }));
    const cancels = verdict.cancels.map((cancel) => withLate(cancel, parked));
    this.addRouted(item, { ...verdict, intents, cancels });
  }

  /** What is set aside leaves no identity behind: the same again, in one segment, is set aside as well. */
  private withheldBefore({ identity: { eventKey, businessKey, alias } }: Identified): Withheld | null {
    const of = (key: Buffer | null): Withheld | undefined =>
      key === null ? undefined : this.withheld.get(key.toString('hex'));
    return this.withheld.size === 0 ? null : (of(eventKey) ?? of(businessKey) ?? of(alias?.key ?? null) ?? null);
  }

  private withholdAgain(item: Identified, why: Withheld): void {
    switch (why) {
      case 'erased':
        this.addOfErased(item);
        return;
      case 'forgotten':
        this.addForgotten(item);
        return;
      case inQuarantine:
        this.addDisputed(item, this.isOfErased(item.record));
    }
  }

  private withhold({ eventKey, businessKey, alias }: RecordIdentity, why: Withheld): void {
    for (const key of [eventKey, businessKey, alias?.key ?? null]) {
      if (key !== null) this.withheld.set(key.toString('hex'), why);
    }
  }

  private addForgotten({ record, identity }: Identified): void {
    this.withhold(identity, 'forgotten');
    this.setAside(record, { reason: 'conflict', detail: forgottenDetail(record), isWithheld: true });
  }

  /** It names a member who is erased. What takes back somebody else's purchase is that one's. */
  private isOfErased(record: PreparedRecord): boolean {
    const { verdict } = record;
    if (verdict.kind !== 'routed') return false;
    const { members, known, dueOf } = this.lookup;
    const [name] = [...verdict.intents, ...verdict.cancels];
    if (name === undefined || !this.profiles.isOfErased(name, dueOf(record))) return false;
    return verdict.intents.length > 0 || cancelledLanes([record], members, known).length === 0;
  }

  /**
   * Nothing of it is kept but what asks for money, and of that the amount. Only an enrolment of after the erasure begins anew,
   * and what takes the card away is told to the partner, and forgotten like the rest.
   */
  private addOfErased(item: Identified): void {
    const { record, identity } = item;
    const { verdict } = record;
    if (verdict.kind !== 'routed') return;
    if (identity.isEnrolment) this.addFresh(item);
    else if (isOptOutType(verdict.eventType)) this.addOptOutOfErased(item, verdict);
    else if (isOrdered(record) && verdict.intents.some(({ parked }) => parked === null)) this.ignore(item, 'stale');
    else {
      this.withhold(identity, 'erased');
      this.setAside(record, { reason: 'erased', detail: erasedDetail(verdict), isWithheld: true });
    }
  }

  private addOptOutOfErased(item: Identified, verdict: Routed): void {
    const [name] = verdict.intents;
    const erasedAt = name === undefined ? null : this.profiles.erasedAt(name);
    if (name === undefined || erasedAt === null) {
      this.addFresh(item);
      return;
    }
    const memberEffects = { ...verdict.memberEffects, raisesGeneration: true, erase: true };
    // They are erased already: nothing is left of it that a person would decide about, or that counts.
    const { leftForPerson: _left, ownWord: _word, ...told } = verdict;
    const erasing = { ...told, memberEffects };
    this.addRouted({ ...item, record: { ...item.record, verdict: erasing } }, erasing);
  }

  private addFresh(item: Identified): void {
    const { verdict } = item.record;
    if (verdict.kind !== 'routed') {
      this.ignore(item, verdict.kind === 'ignored' ? verdict.reason : 'not-mapped');
      return;
    }
    const refusal = this.refusalOf(verdict);
    if (refusal !== null) {
      this.setAside(item.record, { reason: 'conflict', detail: refusal });
      return;
    }
    const permitted = this.permittedOf(item.record, verdict);
    if (permitted === null) return;
    const taken = this.takeFresh(item, permitted);
    const told = permitted === verdict ? item : { ...item, record: { ...item.record, verdict: permitted } };
    if (taken === null) this.ignore(told, 'stale');
    else this.addRouted(told, taken);
  }

  /** What may be done of it by its own word: an opt-out binds at once, whoever decides about the erasure. Null: nothing, it is set aside. */
  private permittedOf(record: PreparedRecord, verdict: Routed): Routed | null {
    const { ownWord: word, memberEffects } = verdict;
    if (word === undefined || this.lookup.ownWords.take(record)) return verdict;
    const leftForPerson = beyondLimit(word);
    if (memberEffects !== null && word.does === 'erase') {
      return { ...verdict, memberEffects: { ...memberEffects, erase: false }, leftForPerson };
    }
    this.setAside(record, leftForPerson);
    return null;
  }

  private refusalOf({ memberEffects, intents: [named] }: Routed): string | null {
    const merge = memberEffects?.merge;
    return merge === undefined || named === undefined ? null : this.profiles.refusalOf(merge, named);
  }

  /** What is not stale of it; null: all of it is. */
  private takeFresh({ identity }: Identified, verdict: Routed): Routed | null {
    const [intent, ...others] = verdict.intents;
    if (intent === undefined || verdict.profilePosition === null) return verdict;
    if (isOptOutType(verdict.eventType)) {
      for (const own of verdict.intents) this.profiles.takeOptOut(own, verdict, leavesProgram(verdict));
      return verdict;
    }
    const left = this.takeProfile(intent, verdict, identity.isEnrolment);
    return left === null ? null : { ...verdict, intents: [left, ...others] };
  }

  private takeProfile(intent: RoutedIntent, verdict: Routed, isEnrolment: boolean): RoutedIntent | null {
    if (isEnrolment) {
      const taken = this.profiles.takeEnrolment(intent, verdict);
      return taken === null ? null : this.addEnrolment(taken);
    }
    return this.profiles.takeUpdate(intent, verdict);
  }

  private addRouted({ record, identity }: Identified, verdict: Routed): void {
    const { plan } = this;
    const { intents, cancels } = verdict;
    this.addEffects(verdict);
    intents.forEach((intent, index) => {
      plan.intents.push({ intent, record, identity, ownsIdentity: index === 0 });
    });
    plan.cancels.push(...cancels.map((cancel) => ({ cancel, record, identity })));
    if (intents.length === 0) plan.noops.push({ record, identity });
    if (verdict.leftForPerson === undefined) plan.results.push({ kind: 'recorded' });
    else this.setAside(record, { ...verdict.leftForPerson, isHalf: true });
  }

  /** Of each member whose cards it is about. */
  private addEffects(verdict: Routed): void {
    const { intents, cancels, memberEffects: effects, profilePosition } = verdict;
    if (effects === null) return;
    const members = new Map([...intents, ...cancels].map((of) => [memberKey(of), of]));
    const [named] = members.values();
    if (effects.merge !== undefined && named !== undefined) this.profiles.takeMerge(effects.merge, named, verdict);
    const happenedAt = profilePosition?.timeMs ?? null;
    // Of whom nothing but the name is kept there is no card, but an erasure is of all that the person was known by.
    const nameless = effects.erase && named !== undefined ? this.profiles.namesAbsorbedBy(named) : [];
    for (const member of [...members.values(), ...nameless]) {
      this.plan.memberEffects.push({ member, effects, happenedAt });
    }
  }

  private addChangedEnrolment(item: Identified, of: IdentityPlace | null): void {
    const { verdict } = item.record;
    if (verdict.kind !== 'routed') return;
    if (this.isSomebodyElse(item.record, verdict)) {
      this.setAside(item.record, { reason: 'conflict', detail: somebodyElse });
      return;
    }
    if (of !== null && item.isCorrectable) this.addCorrection(item, verdict, of);
    else {
      this.addAgain(item, of);
      this.addAsUpdate(item, verdict);
    }
  }

  /** A person may say that it is the same one: then it is taken in. */
  private isSomebodyElse(record: PreparedRecord, verdict: Routed): boolean {
    const [intent] = verdict.intents;
    return intent !== undefined && !this.lookup.dueOf(record).isLate && this.profiles.isSomebodyElse(intent, verdict);
  }

  private addAgain({ record: { verdict } }: Identified, of: IdentityPlace | null): void {
    const intent = verdict.kind === 'routed' ? verdict.intents[0] : undefined;
    if (of === null || verdict.kind !== 'routed' || intent === undefined) return;
    this.profiles.takeAgain(intent, verdict);
    this.plan.enrolledAgain.push(of);
  }

  private addCorrection(item: Identified, verdict: Routed, of: IdentityPlace): void {
    const [intent] = verdict.intents;
    if (intent === undefined) return;
    const taken = this.profiles.takeCorrection(intent, verdict);
    if (taken === null) {
      this.ignore(item, 'stale');
      return;
    }
    this.plan.corrections.push({ of, intent: this.addEnrolment(taken), overtaken: taken.overtaken });
    this.plan.noops.push(item);
    this.plan.results.push({ kind: 'recorded' });
  }

  private addEnrolment(taken: TakenEnrolment): RoutedIntent {
    if (taken.newest.size > 0) this.plan.enrolments.push(taken);
    return taken.intent;
  }

  private addAsUpdate(item: Identified, verdict: Routed): void {
    const { record, identity } = item;
    const update = verdict.enrolmentAsUpdate;
    const intent = update === null ? null : this.profiles.takeUpdate(update, verdict);
    if (intent === null) {
      this.ignore(item, update === null ? 'not-mapped' : 'stale');
      return;
    }
    this.plan.intents.push({ intent, record, identity, ownsIdentity: false });
    this.plan.noops.push({ record, identity });
    this.plan.results.push({ kind: 'recorded' });
  }

  private addUnidentified(record: PreparedRecord): void {
    const { verdict } = record;
    if (verdict.kind === 'quarantine') {
      this.setAside(record, verdict);
      return;
    }
    this.plan.results.push({ kind: 'ignored', reason: verdict.kind === 'ignored' ? verdict.reason : 'not-mapped' });
  }

  private setAside(record: PreparedRecord, { reason, detail, isWithheld, isHalf }: Omit<RecordAside, 'record'>): void {
    this.plan.quarantine.push({ record, reason, detail, ...(isWithheld && { isWithheld }), ...(isHalf && { isHalf }) });
    this.plan.results.push({ kind: 'quarantined', reason });
  }

  /** The event is remembered, so that it is known when it comes again. */
  private ignore(item: Identified, reason: Extract<RecordResult, { kind: 'ignored' }>['reason']): void {
    this.plan.noops.push(item);
    this.plan.results.push({ kind: 'ignored', reason });
  }
}

/** Of what takes back under a number of which another one lies in quarantine. */
const inQuarantine = 'number-in-quarantine';

type Withheld = 'erased' | 'forgotten' | typeof inQuarantine;

const somebodyElse =
  'data.person: another name and another e-mail address than the member has: somebody else may have the number now';

/** Null: granted for the same campaign again, under a number of its own; the first was not given, or is taken back. */
function whyNotAgain({ identity, verdict }: Identified, { intents: [intent] }: Routed): string | null {
  const again = verdict.kind === 'sold-again' ? verdict : null;
  if (identity.alias !== undefined && intent?.businessKey?.scope === 'grant') {
    return again?.isUnsettled === true ? 'granted again before it is settled what becomes of the first one' : null;
  }
  if (intent === undefined) return 'told again after a person gave up what took it back before';
  return rungUpAgain(again?.isByAlias === true);
}

const rungUpAgain = (isReturn: boolean): string =>
  `rung up again under the number of a ${isReturn ? 'return' : 'sale'} that was voided`;

const withLate = (cancel: CancelRequest, parked: RoutedIntent['parked']): CancelRequest =>
  cancel.ifTooLate === null ? cancel : { ...cancel, ifTooLate: { ...cancel.ifTooLate, parked } };

/** The amount alone, with its sign: all that is kept of it beside its place. */
function erasedDetail(verdict: Routed): string {
  const { total } = numberOf(verdict);
  return total === undefined ? 'of an erased member' : `${total}: of an erased member`;
}

/** Number and amount, as far as it names them: all that is kept of it beside its place. */
function forgottenDetail({ verdict }: PreparedRecord): string {
  const { key = null, total } = verdict.kind === 'routed' ? numberOf(verdict) : {};
  const named = key === null ? [] : [[key.scope, ...key.parts].join(' ')];
  return `${[...named, ...(total === undefined ? [] : [total])].join(', ')}: a number of an erased member`;
}

function numberOf(verdict: Routed): { readonly key?: BusinessKey | null; readonly total?: string | undefined } {
  const own = keyedIntent(verdict);
  if (own !== null) return { key: own.businessKey, total: own.total };
  const [cancel] = verdict.cancels;
  return typeof cancel?.target === 'object' ? { key: cancel.target, total: cancel.total } : {};
}

/** Also whose erasure waits for a person; who is erased at once is more than gone. */
function leavesProgram({ cancels, memberEffects: effects }: Routed): boolean {
  const isToBeErased = effects?.raisesGeneration === true && !effects.erase;
  return isToBeErased || cancels.some(({ target }) => target === 'everything-queued');
}

/** What a plan is made with, beside the profiles. */
interface PlanLookup extends Lookup {
  /** When what a record tells happened, and whether it comes late. */
  readonly dueOf: (record: PreparedRecord) => MembersDue;
  /** What its records have done by their own word alone. */
  readonly ownWords: Pick<OwnWords, 'take'>;
}

/** Decides in memory what a segment will write. */
export function planSegment(
  records: readonly JudgedRecord[],
  profiles: ProfileMarkTable,
  lookup: PlanLookup,
): SegmentPlan {
  const planner = new SegmentPlanner(profiles, lookup);
  for (const judged of records) planner.add(judged);
  return planner.plan;
}

/** A plan as it was carried out: `placed[i]` is `items[i]`. */
interface Planned {
  readonly plan: SegmentPlan;
  readonly items: readonly IntentToPlace[];
  readonly placed: readonly PlacedIntent[];
}

/** What is known of the members and targets of records. */
interface Lookup {
  readonly members: KnownMembers;
  readonly known: ReadonlyMap<string, KnownIdentity>;
}

/**
 * The lane by which the digest of a record is forgotten when its member is erased: of whom it names, else of whose it takes
 * something back. Null: of no known member, or of one who was erased, perhaps from before that; then what it says is not
 * remembered.
 */
function ownerOf(record: PreparedRecord, { members, known }: Lookup): number | null {
  const [name] = namesOf(record);
  if (name === undefined) return cancelledLanes([record], members, known)[0] ?? noMembersLane;
  const member = members.get(memberKey(name));
  return member === undefined || member.key === null || member.erasedSeq > 0 ? null : member.laneId;
}

/** What a plan leaves behind: each record's event, and its business key with the place of its intent. */
export function identitiesToInsert({ plan, items, placed }: Planned, lookup: Lookup): IdentityToInsert[] {
  const owned = items.flatMap(({ ownsIdentity, usesNoNumber, identity }, index): IdentityToInsert[] => {
    const at = placed[index];
    if (at === undefined || !ownsIdentity) return [];
    const { eventKey, eventMac, businessKey, businessMac, alias } = identity;
    const { laneId, seq } = at;
    const event: IdentityToInsert = { key: eventKey, kind: 'event', contentMac: eventMac, laneId, seq };
    if (businessKey === null || businessMac === null || usesNoNumber === true) return [event];
    const own: IdentityToInsert = { key: businessKey, kind: 'business', contentMac: businessMac, laneId, seq };
    return [event, own, ...(alias ? [{ ...own, key: alias.key, contentMac: alias.mac }] : [])];
  });
  const owners = new Set(items.filter(({ ownsIdentity }) => ownsIdentity).map(({ identity }) => identity));
  // What came too late to cancel was planned without an intent, and has one all the same.
  const noops = plan.noops
    .filter(({ identity }) => !owners.has(identity))
    .map(({ record, identity: { eventKey: key, eventMac } }): IdentityToInsert => {
      const laneId = ownerOf(record, lookup);
      return { key, kind: 'event', contentMac: laneId === null ? noDigest : eventMac, laneId, seq: null };
    });
  return [...owned, ...noops, ...plan.otherNumbers.flatMap(otherNumber)];
}

function otherNumber({ identity: { businessKey: key, businessMac }, of }: OtherNumber): IdentityToInsert[] {
  return key === null || businessMac === null || of === null
    ? []
    : [{ key, kind: 'business', contentMac: businessMac, ...of }];
}
