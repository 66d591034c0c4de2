import type { Chance } from '../chance.js';
import type { ProgramName, SourceTopic } from '../installation/programs.js';
import { programNames } from '../installation/programs.js';
import type { Emission, EventFrame, Owed } from './emission.js';
import { binaryMode, eventBytes, invalidRecord, structured } from './emission.js';

/** In every enrolment, and nowhere else: they must not be found in the clear. */
export const lastName = 'Zweistein';
export const mailDomain = '@chaos.example.org';

interface Member {
  readonly program: ProgramName;
  readonly memberId: string;
  readonly purchases: { readonly purchaseId: string; readonly minor: number }[];
  readonly grants: string[];
  sequence: number;
  /** As last told. */
  tier: 'basic' | 'gold';
  /** Its enrolment was sent: what changes the member may follow. */
  isEnrolled: boolean;
}

const hotMembers = 8;
const hotShare = 0.04;
/** Older members buy no more, so that the number of lanes with work stays about the same. */
const activeMembersMax = 4_000;

/** Who takes part. */
class Members {
  private readonly active: Member[] = [];
  private count = 0;

  constructor(private readonly chance: Chance) {}

  /** Somebody new. Ids of one brand are unique over its programs. */
  join(): Member {
    this.count += 1;
    const program = this.chance.isLucky(0.65) ? programNames[0] : programNames[1];
    const memberId = `${program === 'coffee-club' ? 'c' : 't'}-${this.count}`;
    const member: Member = {
      program,
      memberId,
      purchases: [],
      grants: [],
      sequence: 1,
      tier: 'basic',
      isEnrolled: false,
    };
    this.active.push(member);
    if (this.active.length > activeMembersMax) this.active.splice(hotMembers, 1);
    return member;
  }

  /** Nothing more comes from this one. */
  leave(member: Member): void {
    this.active.splice(this.active.indexOf(member), 1);
  }

  /** Null while there is nobody. Some come much more often than others. */
  choose(): Member | null {
    if (this.active.length === 0) return null;
    const isHot = this.chance.isLucky(hotShare);
    return this.chance.pick(isHot ? this.active.slice(0, hotMembers) : this.active);
  }
}

/** How often each kind of record comes, relative to the others. */
const weights = {
  enrolled: 85,
  purchased: 560,
  refunded: 75,
  voided: 15,
  granted: 95,
  revoked: 12,
  updated: 60,
  optedOut: 8,
  tillRepeats: 35,
  keyAgain: 18,
  conflict: 4,
  invalid: 12,
} as const;

type Kind = keyof typeof weights;

const rememberedMax = 3_000;
const recentMax = 6;
const lateEnrolmentChance = 0.06;
const neverEnrolledChance = 0.008;
const lateEnrolmentMsMax = 4_000;
const newMembersFirst = 200;
const binaryShare = 0.2;

interface TrafficOptions {
  readonly chance: Chance;
  readonly now: () => number;
  /** From then on nobody does what leaves purchases waiting for an enrolment that never comes. */
  readonly settlesAt: number;
}

interface Event {
  readonly what: string;
  readonly topic: SourceTopic;
  readonly member: Member;
  readonly frame: EventFrame;
  readonly owed?: Owed;
}

/** Makes the records of a run: what tills, shops and their mistakes send. Decided by chance alone. */
export class Traffic {
  private readonly members: Members;
  private readonly remembered: Event[] = [];
  private readonly late: { readonly dueAt: number; readonly event: Event }[] = [];
  private counter = 0;

  private readonly chance: Chance;

  constructor(private readonly options: TrafficOptions) {
    this.chance = options.chance;
    this.members = new Members(this.chance.fork('members'));
  }

  /** So many records; a few more where somebody's enrolment comes late. */
  next(count: number): Emission[] {
    const emissions = Array.from({ length: count }, () => this.one()).flat();
    return [...emissions, ...this.takeLate(this.options.now())];
  }

  /** Enrolments that are still to come. */
  rest(): Emission[] {
    return this.takeLate(Infinity);
  }

  private takeLate(until: number): Emission[] {
    const due = this.late.filter(({ dueAt }) => dueAt <= until);
    for (const item of due) this.late.splice(this.late.indexOf(item), 1);
    return due.flatMap(({ event }) => this.enrol(event));
  }

  private one(): Emission[] {
    const kind = this.counter < newMembersFirst ? 'enrolled' : this.chance.weighted(weights);
    this.counter += 1;
    if (kind === 'enrolled') return this.join();
    const member = this.members.choose();
    return member === null ? [] : this.of(kind, member);
  }

  private of(kind: Exclude<Kind, 'enrolled'>, member: Member): Emission[] {
    switch (kind) {
      case 'purchased':
        return this.emit(this.purchase(member));
      case 'refunded':
        return this.emit(this.refund(member));
      case 'voided':
        return this.emit(this.void(member));
      case 'granted':
        return this.emit(this.grant(member));
      case 'revoked':
        return this.emit(this.revocation(member));
      case 'updated':
        return this.emit(member.isEnrolled ? this.update(member) : this.purchase(member));
      case 'optedOut':
        return this.emit(member.isEnrolled ? this.optOut(member) : this.purchase(member));
      case 'tillRepeats':
        return this.again('duplicate', (frame) => frame);
      case 'keyAgain':
        return this.again('business-key-again', (frame) => ({ ...frame, id: this.id('again') }));
      case 'conflict':
        return this.again('conflict', (frame) => ({ ...frame, data: { ...frame.data, note: this.id('other') } }));
      case 'invalid':
        return [invalidRecord(this.chance, this.id('bad'))];
    }
  }

  /** Most enrol first; some buy before their enrolment arrives, a few never enrol. */
  private join(): Emission[] {
    const member = this.members.join();
    const enrolment = this.enrolment(member);
    if (this.counter <= newMembersFirst) return this.enrol(enrolment);
    if (!this.isSettling && this.chance.isLucky(neverEnrolledChance)) return this.emit(this.purchase(member));
    if (!this.chance.isLucky(lateEnrolmentChance)) return this.enrol(enrolment);
    this.late.push({ dueAt: this.options.now() + this.chance.below(lateEnrolmentMsMax), event: enrolment });
    return this.emit(this.purchase(member));
  }

  private enrol(event: Event): Emission[] {
    event.member.isEnrolled = true;
    return this.emit(event);
  }

  private get isSettling(): boolean {
    return this.options.now() >= this.options.settlesAt;
  }

  private emit(event: Event | null): Emission[] {
    if (event === null) return [];
    this.remembered.push(event);
    if (this.remembered.length > rememberedMax) this.remembered.shift();
    return [this.emission(event, event.owed ?? null)];
  }

  private emission({ what, topic, member, frame }: Event, owed: Owed | null): Emission {
    const isBinary = this.chance.isLucky(binaryShare);
    const content = isBinary ? binaryMode(frame) : { value: eventBytes(frame), headers: structured };
    return { what, topic, key: member.memberId, owed, ...content };
  }

  /** Something that was sent before, changed or not. An enrolment with other content would correct the first one. */
  private again(what: string, change: (frame: EventFrame) => EventFrame): Emission[] {
    if (this.remembered.length === 0) return [];
    const event = this.chance.pick(this.remembered);
    return [this.emission({ ...event, what, frame: change(event.frame) }, null)];
  }

  private id(prefix: string): string {
    this.counter += 1;
    return `${prefix}-${this.counter}`;
  }

  private frame(type: string, data: Readonly<Record<string, unknown>> & { program: string }): EventFrame {
    return { id: this.id('e'), type, time: new Date(this.options.now()).toISOString(), data };
  }

  private enrolment(member: Member): Event {
    const { program, memberId } = member;
    const person = { firstName: 'Ada', lastName, email: `${memberId}${mailDomain}` };
    const data = { program, memberId, person, tier: 'basic', pass: { points: 100 }, metaData: { shop: memberId } };
    const operation = program === 'coffee-club' ? 'issue' : 'issue-via-workflow';
    const owed = { operation, program, memberId, purchaseId: null, key: null, minor: null } as const;
    return { what: 'member.enrolled', topic: 'members', member, frame: this.frame('member.enrolled', data), owed };
  }

  private purchase(member: Member): Event {
    const { program, memberId } = member;
    const purchaseId = this.id('p');
    const minor = 100 + this.counter;
    member.purchases.push({ purchaseId, minor });
    if (member.purchases.length > recentMax) member.purchases.shift();
    const total = { minor, currency: 'EUR', digits: 2 };
    const data = { program, memberId, purchaseId, channel: 'pos', storeId: 'berlin-07', total, lines: [] };
    const key = program === 'coffee-club' ? purchaseId : null;
    const owed = { operation: 'transaction', program, memberId, purchaseId, key, minor } as const;
    return {
      what: 'purchase.completed',
      topic: 'purchases',
      member,
      frame: this.frame('purchase.completed', data),
      owed,
    };
  }

  private refund(member: Member): Event | null {
    if (member.purchases.length === 0) return null;
    const { program, memberId } = member;
    const { purchaseId } = this.chance.pick(member.purchases);
    const refundId = this.id('r');
    const minor = this.counter;
    const total = { minor, currency: 'EUR', digits: 2 };
    const data = { program, memberId, refundId, purchaseId, storeId: 'berlin-07', total, reason: 'return' };
    const owed = { operation: 'transaction', program, memberId, purchaseId, key: refundId, minor } as const;
    return {
      what: 'purchase.refunded',
      topic: 'purchases',
      member,
      frame: this.frame('purchase.refunded', data),
      owed,
    };
  }

  /** Mostly of something just bought, which may not have been sent yet. */
  private void(member: Member): Event | null {
    const bought = member.purchases.pop();
    if (bought === undefined) return null;
    const { program, memberId } = member;
    const total = { minor: bought.minor, currency: 'EUR', digits: 2 };
    const data = { program, memberId, purchaseId: bought.purchaseId, storeId: 'berlin-07', total, reason: 'mistake' };
    return { what: 'purchase.voided', topic: 'purchases', member, frame: this.frame('purchase.voided', data) };
  }

  private grant(member: Member): Event {
    const { program, memberId } = member;
    const grantId = this.id('g');
    member.grants.push(grantId);
    if (member.grants.length > recentMax) member.grants.shift();
    const reward = program === 'coffee-club' && this.chance.isLucky(0.3) ? 'sticker' : 'free-coffee';
    const data = { program, memberId, grantId, reward };
    return { what: 'reward.granted', topic: 'rewards', member, frame: this.frame('reward.granted', data) };
  }

  private revocation(member: Member): Event | null {
    const grantId = member.grants.pop();
    if (grantId === undefined) return null;
    const { program, memberId } = member;
    const data = { program, memberId, grantId, reason: 'mistake' };
    return { what: 'reward.revoked', topic: 'rewards', member, frame: this.frame('reward.revoked', data) };
  }

  /** One in ten arrives after a newer one. */
  private update(member: Member): Event {
    const { program, memberId } = member;
    member.sequence += this.chance.isLucky(0.1) ? -1 : 2;
    member.tier = member.tier === 'gold' ? 'basic' : 'gold';
    const { tier } = member;
    const data = { program, memberId, changed: ['tier'], tier };
    const frame = { ...this.frame('member.updated', data), sequence: String(member.sequence) };
    return { what: 'member.updated', topic: 'members', member, frame };
  }

  private optOut(member: Member): Event {
    const { program, memberId } = member;
    const scope = this.chance.weighted({ sms: 6, wallet: 3, program: this.isSettling ? 0 : 1 });
    if (scope === 'program') this.members.leave(member);
    const data = { program, memberId, scope, erase: false };
    return { what: 'member.opted-out', topic: 'members', member, frame: this.frame('member.opted-out', data) };
  }
}
