import type {
  EventPosition,
  MembersDue,
  Membership,
  MembershipEvent,
  Merge,
  PartnerCommand,
  PersonField,
  PersonSaid,
  ProfileMark,
  ProfileMarks,
  RoutedIntent,
} from '#intents/core';
import {
  decideMembership,
  evolveMembership,
  erasureMarks,
  hasLeft,
  isBeforeErasure,
  isErased,
  isOrdinary,
  digestSign,
  isNamedByShop,
  isSomebodyElse,
  isStale,
  enrolledAgain,
  lastEnrolment,
  markedSequenceMax,
  mergesFollowedMax,
  moveMarks,
  needsPass,
  noMarks,
  personSaid,
  profilePaths,
  stillSaid,
  survivorOf,
  unknownMembership,
  wholeProfile,
  withConsentWithdrawn,
  withdrawals,
  withdrawnPaths,
  withoutProfilePaths,
} from '#intents/core';
import { keyedDigest } from '#platform';

import type { Member, MemberCache, MemberName, ProfileMove } from './members.js';
import { memberKey, personMac, personMacOf, personMacsOf } from './members.js';

/** An event that changes a profile: where it stands, and the `source` whose numbers it has. */
interface ProfileEvent {
  readonly eventSource: string;
  readonly profilePosition: EventPosition | null;
}

/** An enrolment that is to be issued. */
export interface TakenEnrolment {
  readonly intent: RoutedIntent;
  /** The paths of its member's profile of which it says the newest. */
  readonly newest: ReadonlySet<string>;
  /** Those of which something newer has spoken; not of consent that it is left without. */
  readonly overtaken: ReadonlySet<string>;
}

/** Says why to whoever looks at it; nothing personal. */
const leftDetail = 'the member had left the program';

/** Base64url characters of a digest that stands for a source or for a name that a shop has chosen: 72 bits. */
const digestCharacters = 12;

/**
 * Where each path of each member's profile stands, while one transaction goes through its records. What an event says about
 * a path that was overtaken is stale, and dropped (docs/producers.md, What is ignored). Nothing is stale of an event without
 * a position.
 */
export class ProfileMarkTable {
  private readonly moved = new Map<string, ProfileMarks>();
  private readonly memberships = new Map<string, Membership>();
  private hasOthers = false;
  /** Who members are by what was said here, in the clear until their key is there. */
  private readonly people = new Map<string, PersonSaid>();

  constructor(
    private readonly members: Pick<MemberCache, 'all' | 'areOrdinary'>,
    private readonly macKey: Uint8Array,
  ) {}

  /** Takes what is not stale of an update. @returns the rest of it; null: all of it is stale */
  takeUpdate(intent: RoutedIntent, event: ProfileEvent): RoutedIntent | null {
    const mark = this.markOf(event);
    if (mark === null || intent.command === null) return intent;
    const marks = this.marks(intent);
    const paths = profilePaths(intent.command);
    const stale = new Set(paths.filter((path) => isStale(marks, this.nameOf(path), mark)));
    const command: PartnerCommand | null = withoutProfilePaths(intent.command, stale);
    if (command === null) return null;
    this.move(intent, paths, mark);
    this.moveNamed(intent, withdrawals(command), mark);
    this.introduced(intent, personSaid(command));
    return stale.size === 0 ? intent : { ...intent, command };
  }

  /**
   * An opt-out is never stale. Who leaves the program leaves behind whatever is older, and begins anew by enrolling anew; any
   * other withdrawal binds the card that comes, also where there is none yet.
   */
  takeOptOut(intent: RoutedIntent, event: ProfileEvent, leavesProgram: boolean): void {
    const mark = this.markOf(event);
    if (mark === null) return;
    const paths = intent.withdraws ?? profilePaths(intent.command);
    this.move(intent, paths, mark);
    this.moveNamed(intent, leavesProgram ? [wholeProfile] : withdrawals(intent.command, paths), mark);
    if (leavesProgram) this.happened(intent, { type: 'MemberLeft', at: mark.timeMs });
  }

  /**
   * A first enrolment is never stale: what it says was not said before. What is older of the same paths is, from now on. But
   * consent that something newer has spoken of is not given by it, nor taken for granted where its member has left since.
   * @returns null: it happened before the member was erased
   */
  takeEnrolment(intent: RoutedIntent, event: ProfileEvent): TakenEnrolment | null {
    const mark = this.markOf(event);
    if (mark === null || intent.command === null) return { intent, newest: new Set(), overtaken: new Set() };
    const marks = this.marks(intent);
    if (isBeforeErasure(this.membership(intent), mark.timeMs)) return null;
    this.happened(intent, { type: 'MemberEnrolled', at: mark.timeMs });
    const overtaken = new Set(profilePaths(intent.command).filter((path) => isStale(marks, this.nameOf(path), mark)));
    const newest = profilePaths(intent.command).filter((path) => !overtaken.has(path));
    this.move(intent, newest, mark);
    this.moveNamed(intent, [lastEnrolment], mark);
    const withdrawn = withdrawnPaths(intent.command, marks, mark);
    for (const path of withdrawn) overtaken.delete(path);
    const newestOnly = withoutProfilePaths(intent.command, overtaken);
    if (newestOnly !== null) this.introduced(intent, personSaid(newestOnly));
    const command = withConsentWithdrawn(intent.command, withdrawn);
    return { intent: { ...intent, command }, newest: new Set(newest), overtaken };
  }

  /**
   * Whether an enrolment is of another person than was said last under that number. Nothing is said of it by what is older than that,
   * as a whole or by a field.
   */
  isSomebodyElse(intent: RoutedIntent, event: ProfileEvent): boolean {
    const mark = this.markOf(event);
    const marks = this.marks(intent);
    if (mark === null || intent.command === null || isStale(marks, lastEnrolment, mark)) return false;
    const said = personSaid(intent.command);
    return isSomebodyElse((field) => {
      const value = isStale(marks, `person.${field}`, mark) ? null : (said[field] ?? null);
      return value === null ? null : this.differsFrom(intent, field, value);
    });
  }

  private differsFrom(name: MemberName, field: PersonField, value: string): boolean | null {
    const here = this.people.get(memberKey(name))?.[field];
    if (here !== undefined) return here === null ? null : here !== value;
    const member = this.members.all.get(memberKey(name));
    const mac = member === undefined ? null : personMac(member, field);
    return member?.key && mac ? !mac.equals(personMacOf(member.key, field, value)) : null;
  }

  private introduced(name: MemberName, said: PersonSaid): void {
    const key = memberKey(name);
    this.people.set(key, { ...this.people.get(key), ...said });
  }

  /** Takes an enrolment in the place of the last one. @returns null: it is older than that */
  takeCorrection(intent: RoutedIntent, event: ProfileEvent): TakenEnrolment | null {
    const mark = this.markOf(event);
    if (mark !== null && isStale(this.marks(intent), lastEnrolment, mark)) return null;
    return this.takeEnrolment(intent, event);
  }

  /** Remembered, for the pass may be gone, unnoticed so far. */
  takeAgain(name: MemberName, event: ProfileEvent): void {
    const mark = this.markOf(event);
    if (mark === null) return;
    this.moveNamed(name, [enrolledAgain], mark);
    this.happened(name, { type: 'MemberEnrolled', at: mark.timeMs });
  }

  /** Others live on in a member from now on, or do so no longer. Of two that are to live on in each other the last one lives on. */
  takeMerge({ into, absorbed, isUndone }: Merge, { program }: Pick<MemberName, 'program'>, event: ProfileEvent): void {
    const at = this.markOf(event)?.timeMs;
    if (at === undefined) return;
    const survivor = { program, memberId: into };
    for (const memberId of absorbed) {
      const name = { program, memberId };
      if (isUndone) this.separate(name, survivor, at);
      else this.join(name, survivor, at);
    }
  }

  private separate(name: MemberName, survivor: MemberName, at: number): void {
    const { mergedInto } = this.membership(name);
    // By another one that the survivor has absorbed: then that merge was wrong.
    if (mergedInto !== null && this.absorbersOf(name).includes(survivor.memberId)) {
      this.happened(name, { type: 'MemberUnmerged', at, from: mergedInto });
    }
    this.happened(name, { type: 'MemberUnmerged', at, from: survivor.memberId });
  }

  private join(name: MemberName, survivor: MemberName, at: number): void {
    if (this.membership(survivor).mergedInto === name.memberId) {
      this.happened(survivor, { type: 'MemberUnmerged', at, from: name.memberId });
    }
    if (!this.absorbersOf(survivor).includes(name.memberId)) {
      this.happened(name, { type: 'MemberMerged', at, into: survivor.memberId });
    }
  }

  /** Why a merge is not taken; null: it is. Two that absorb each other are no ring: the one that was named last lives on. */
  refusalOf({ into, absorbed, isUndone }: Merge, { program }: Pick<MemberName, 'program'>): string | null {
    if (isUndone) return null;
    const survivor = { program, memberId: into };
    const { mergedInto } = this.membership(survivor);
    const closesRing = absorbed.some((id) => mergedInto !== id && this.absorbersOf(survivor).includes(id));
    if (closesRing) return 'data.absorbed: names one in whom data.memberId lives on by other merges';
    const longest = this.absorbersOf(survivor).length + 1 + this.mergesBelow(absorbed, program);
    const isTooLong = longest > mergesFollowedMax;
    return isTooLong ? `data.absorbed: more than ${mergesFollowedMax} merges one behind another` : null;
  }

  /** In whom a member lives on, one behind another. */
  private absorbersOf({ program, memberId }: MemberName): string[] {
    const absorbers: string[] = [];
    for (let id: string | null = memberId; id !== null && absorbers.length <= mergesFollowedMax;) {
      id = this.membership({ program, memberId: id }).mergedInto;
      if (id !== null) absorbers.push(id);
    }
    return absorbers;
  }

  /** How many merges lie one behind another up to one of these members. */
  private mergesBelow(memberIds: readonly string[], program: string): number {
    const others = [...this.members.all.values()].filter((one) => one.program === program);
    const absorbed = Map.groupBy(others, (one) => this.membership(one).mergedInto);
    let merges = 0;
    const below = (ids: readonly string[]): string[] =>
      ids.flatMap((id) => (absorbed.get(id) ?? []).map(({ memberId }) => memberId));
    for (let ids = below(memberIds); ids.length > 0 && merges <= mergesFollowedMax; ids = below(ids)) merges += 1;
    return merges;
  }

  /** In whom a member lives on; the member, where that is in nobody. */
  survivorOf(name: MemberName): MemberName {
    if (this.areOrdinary) return name;
    const { program, memberId } = name;
    const into = (of: string): string | null => this.membership({ program, memberId: of }).mergedInto;
    return { program, memberId: survivorOf(memberId, into) };
  }

  /** Who lives on in a member, and may have a card: something was kept of them. */
  absorbedBy(survivor: MemberName): MemberName[] {
    return this.allAbsorbedBy(survivor).flatMap(({ key, program, memberId }) => (key ? [{ program, memberId }] : []));
  }

  /** Who lives on in a member, and of whom nothing is kept but that. */
  namesAbsorbedBy(survivor: MemberName): MemberName[] {
    return this.allAbsorbedBy(survivor).filter(({ key }) => key === null);
  }

  private allAbsorbedBy(survivor: MemberName): Member[] {
    const isOther = (one: MemberName): boolean => memberKey(one) !== memberKey(survivor);
    return [...this.members.all.values()].filter((one) => isOther(one) && !isOther(this.survivorOf(one)));
  }

  /** When the member last left the program, or was erased, as far as that is remembered; epoch ms. */
  leftAt(name: MemberName): number {
    return Math.max(-Infinity, ...(this.marks(name).get(wholeProfile) ?? []).map(({ timeMs }) => timeMs));
  }

  /** The member is erased, known or not: nothing else is remembered. Should the person return, a new generation begins. */
  erased(name: MemberName, at: number): void {
    this.moved.set(memberKey(name), erasureMarks(at));
    this.people.delete(memberKey(name));
    this.happened(name, { type: 'MemberErased', at });
  }

  /** When the member was erased who has not enrolled since, epoch ms; null: they are not. */
  erasedAt(name: MemberName): number | null {
    const membership = this.membership(name);
    return isErased(membership) ? membership.erasedAt : null;
  }

  /** Whether an enrolment brings back a member who has left. Who was erased is a new one anyway. */
  comesBackBy(name: MemberName, event: ProfileEvent): boolean {
    const membership = this.membership(name);
    const { leftAt } = membership;
    const at = event.profilePosition?.timeMs ?? -Infinity;
    return hasLeft(membership) && !isErased(membership) && at > (leftAt ?? Infinity);
  }

  /** Whether something is of a member whom an erasure has forgotten: it is neither sent nor kept. */
  isOfErased(name: MemberName, due: MembersDue): boolean {
    return !this.areOrdinary && decideMembership(this.membership(name), due) === 'erased';
  }

  /** Whether something that needs the member's pass is theirs to be sent; else it is recorded, and parked at once. */
  asMembers(intent: RoutedIntent, due: MembersDue): RoutedIntent {
    // What is for a person already stays so when the member comes back.
    if (this.areOrdinary || intent.command === null || intent.parked !== null) return intent;
    if (!needsPass(intent.operation)) return intent;
    const reason = decideMembership(this.membership(intent), due);
    return reason === 'not-a-member' ? { ...intent, parked: { reason, detail: leftDetail } } : intent;
  }

  /** Most chunks are of such members alone: then nobody's state is looked up. */
  get areOrdinary(): boolean {
    return this.members.areOrdinary && !this.hasOthers;
  }

  /** The profiles that have moved, of members that exist. */
  get moves(): ProfileMove[] {
    return [...new Set([...this.moved.keys(), ...this.memberships.keys()])].flatMap((key) => {
      const member = this.members.all.get(key);
      if (member === undefined) return [];
      const { laneId, profile } = member;
      const said = this.people.get(key);
      const personMacs = said === undefined ? member.personMacs : personMacsOf(member, said);
      const membership = this.memberships.get(key) ?? member.membership;
      return [{ laneId, marks: this.moved.get(key) ?? profile, membership, personMacs }];
    });
  }

  /** The lanes of who lived on in another member before, and does so no longer. */
  get separated(): number[] {
    return [...this.memberships].flatMap(([key, { mergedInto }]) => {
      const member = this.members.all.get(key);
      return mergedInto === null && member && member.membership.mergedInto !== null ? [member.laneId] : [];
    });
  }

  private membership(name: MemberName): Membership {
    const key = memberKey(name);
    return this.memberships.get(key) ?? this.members.all.get(key)?.membership ?? unknownMembership;
  }

  private happened(name: MemberName, event: MembershipEvent): void {
    const membership = evolveMembership(this.membership(name), event);
    this.memberships.set(memberKey(name), membership);
    this.hasOthers ||= !isOrdinary(membership);
  }

  private marks(name: MemberName): ProfileMarks {
    const key = memberKey(name);
    return this.moved.get(key) ?? this.members.all.get(key)?.profile ?? noMarks;
  }

  private move(name: MemberName, paths: readonly string[], mark: ProfileMark): void {
    this.moveNamed(
      name,
      paths.map((path) => this.nameOf(path)),
      mark,
    );
  }

  private moveNamed(name: MemberName, names: readonly string[], mark: ProfileMark): void {
    this.moved.set(memberKey(name), moveMarks(this.marks(name), names, mark));
  }

  private markOf({ eventSource, profilePosition }: ProfileEvent): ProfileMark | null {
    if (profilePosition === null) return null;
    const { sequence, timeMs } = profilePosition;
    const isKept = sequence !== null && sequence.length <= markedSequenceMax;
    return { source: this.digestOf(eventSource), sequence: isKept ? sequence : null, timeMs };
  }

  private nameOf(path: string): string {
    return storedName(path, this.macKey);
  }

  private digestOf(text: string): string {
    return digestOf(text, this.macKey);
  }
}

function storedName(path: string, macKey: Uint8Array): string {
  return isNamedByShop(path) ? `${digestSign}${digestOf(path, macKey)}` : path;
}

function digestOf(text: string, macKey: Uint8Array): string {
  return keyedDigest(macKey, text).toString('base64url').slice(0, digestCharacters);
}

/** What a member's last enrolment still says the newest of; null: nothing. */
export function withoutOvertaken(
  command: PartnerCommand,
  marks: ProfileMarks,
  macKey: Uint8Array,
): PartnerCommand | null {
  return stillSaid(command, marks, (path, enrolled) => isStale(marks, storedName(path, macKey), enrolled));
}
