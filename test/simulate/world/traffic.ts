import type { ProducedRecord } from '../kafka/broker.js';
import { Chance } from '../kernel/chance.js';
import { closedStore } from '../partner/partner-server.js';
import type { Scenario } from './scenario.js';
import type { EventSketch } from './source-event.js';
import { recordOf, uselessRecord } from './source-event.js';

/** What a producer sends at one time, made when it is sent. */
export interface Emission {
  /** Ms from the world's beginning. */
  readonly at: number;
  readonly make: (nowMs: number) => ProducedRecord;
}

interface Member {
  readonly program: string;
  readonly memberId: string;
}

type Kind =
  | 'purchase'
  | 'refund'
  | 'void'
  | 'grant'
  | 'revoke'
  | 'update'
  | 'sms-opt-out'
  | 'leave'
  | 'erase'
  | 'merge'
  | 'again'
  | 'conflict'
  | 're-emitted'
  | 'garbage'
  | 'tombstone'
  | 'unknown-type'
  | 'unknown-program';

const weights: readonly (readonly [Kind, number])[] = [
  ['purchase', 40],
  ['refund', 9],
  ['void', 6],
  ['grant', 16],
  ['revoke', 4],
  ['update', 9],
  ['sms-opt-out', 1],
  ['leave', 1],
  ['erase', 1],
  ['merge', 1],
  ['again', 5],
  ['conflict', 1],
  ['re-emitted', 2],
  ['garbage', 1],
  ['tombstone', 1],
  ['unknown-type', 1],
  ['unknown-program', 1],
];

const money = (minor: number): object => ({ total: { minor, currency: 'EUR', digits: 2 } });

/** Draws what the tills send in a world: some buy before they enrol, some never enrol, some are refused. */
export class Traffic {
  private readonly chance: Chance;
  private readonly sketches: EventSketch[] = [];
  private readonly emissions: Emission[] = [];
  private number = 0;

  constructor(private readonly scenario: Scenario) {
    this.chance = new Chance(scenario.seed).fork('traffic');
  }

  /** In order of time. */
  draw(): readonly Emission[] {
    const { scenario, chance } = this;
    const members = scenario.programs.flatMap(({ name }) =>
      Array.from({ length: scenario.membersPerProgram }, (_, index) => ({
        program: name,
        memberId: `${name}-${index}`,
      })),
    );
    for (const member of members) if (chance.happens(0.85)) this.enrol(member);
    while (this.emissions.length < scenario.events) {
      const member = chance.pickAny(members);
      if (member !== undefined) this.happen(this.kind(), member);
    }
    return this.emissions.toSorted((one, other) => one.at - other.at);
  }

  private kind(): Kind {
    let left = this.chance.unit() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [kind, weight] of weights) {
      left -= weight;
      if (left < 0) return kind;
    }
    return 'purchase';
  }

  private enrol(member: Member): void {
    const person = { firstName: 'Ada', email: `${member.memberId}@example.org` };
    const data = { person, tier: 'basic', pass: { points: 100 } };
    const business = { scope: 'enrolment', part: member.memberId } as const;
    this.emit({
      topic: 'members',
      type: 'member.enrolled',
      ...member,
      id: this.id('e'),
      data,
      owes: 'intent',
      business,
    });
  }

  private happen(kind: Kind, member: Member): void {
    switch (kind) {
      case 'purchase': {
        this.purchase(member);
        return;
      }
      case 'refund':
      case 'void': {
        this.afterPurchase(kind);
        return;
      }
      case 'grant': {
        this.grant(member);
        return;
      }
      case 'revoke': {
        this.revoke();
        return;
      }
      case 'update':
      case 'sms-opt-out':
      case 'leave':
      case 'erase':
      case 'merge': {
        this.aboutMember(kind, member);
        return;
      }
      case 'again':
      case 'conflict':
      case 're-emitted': {
        this.repeat(kind);
        return;
      }
      case 'garbage':
      case 'tombstone': {
        this.push(() => uselessRecord('purchases', kind, member.memberId));
        return;
      }
      case 'unknown-type':
      case 'unknown-program': {
        this.misfit(kind, member);
        return;
      }
    }
  }

  private purchase(member: Member): void {
    const purchaseId = this.id('P');
    const storeId = this.chance.happens(0.04) ? closedStore : 'berlin';
    const data = { purchaseId, channel: 'pos', storeId, lines: [], ...money(this.chance.between(100, 9_900)) };
    const business = { scope: 'purchase', part: purchaseId } as const;
    const frame = { topic: 'purchases', type: 'purchase.completed', id: this.id('p') } as const;
    this.emit({ ...frame, ...member, data, owes: 'intent', business });
  }

  private afterPurchase(kind: 'refund' | 'void'): void {
    const purchase = this.pickSketch('purchase.completed');
    if (purchase === undefined) return;
    const { program, memberId, business } = purchase;
    const common = { program, memberId, topic: 'purchases', id: this.id('x') } as const;
    const data = {
      purchaseId: business?.part,
      storeId: 'berlin',
      reason: 'return',
      ...money(this.chance.between(1, 100)),
    };
    if (kind === 'void') {
      const own = { scope: 'void', part: business?.part ?? '' } as const;
      this.emit({ ...common, type: 'purchase.voided', data, owes: 'anything', business: own });
      return;
    }
    const refundId = this.id('R');
    const refund = { scope: 'refund', part: refundId } as const;
    this.emit({ ...common, type: 'purchase.refunded', data: { ...data, refundId }, owes: 'intent', business: refund });
  }

  private grant(member: Member): void {
    const grantId = this.id('G');
    const data = { grantId, reward: 'free-coffee' };
    const business = { scope: 'grant', part: grantId } as const;
    this.emit({
      topic: 'rewards',
      type: 'reward.granted',
      ...member,
      id: this.id('g'),
      data,
      owes: 'intent',
      business,
    });
  }

  private revoke(): void {
    const grant = this.pickSketch('reward.granted');
    if (grant === undefined) return;
    const { program, memberId, business } = grant;
    const data = { grantId: business?.part, reason: 'by mistake' };
    this.emit({
      topic: 'rewards',
      type: 'reward.revoked',
      program,
      memberId,
      id: this.id('v'),
      data,
      owes: 'anything',
      business: { scope: 'revocation', part: business?.part ?? '' },
    });
  }

  private aboutMember(kind: 'update' | 'sms-opt-out' | 'leave' | 'erase' | 'merge', member: Member): void {
    const common = { topic: 'members', ...member, id: this.id('u'), owes: 'anything' } as const;
    if (kind === 'update') {
      const data = { changed: ['tier', 'message'], tier: 'gold', message: `hello ${common.id}` };
      this.emit({ ...common, type: 'member.updated', data });
    } else if (kind === 'merge') {
      this.emit({ ...common, type: 'member.merged', data: { absorbed: ['other'] } });
    } else {
      // Nothing about an erased member is told: a listener could not know what it should have heard.
      const erase = kind === 'erase' && !this.scenario.publishesOutcomes;
      const data = { scope: kind === 'sms-opt-out' ? 'sms' : 'program', erase };
      this.emit({ ...common, type: 'member.opted-out', data });
    }
  }

  private repeat(kind: 'again' | 'conflict' | 're-emitted'): void {
    const sketch = this.chance.pickAny(this.sketches);
    if (sketch === undefined) return;
    const { data } = sketch;
    if (kind === 'again') this.push((now) => recordOf({ ...sketch, owes: 'anything' }, now));
    else if (kind === 're-emitted') {
      this.push((now) => recordOf({ ...sketch, id: `${sketch.id}-2`, owes: 'anything' }, now));
    } else this.push((now) => recordOf({ ...sketch, data: { ...data, other: 1 }, owes: 'anything' }, now));
  }

  private misfit(kind: 'unknown-type' | 'unknown-program', member: Member): void {
    const common = {
      topic: 'rewards',
      id: this.id('m'),
      data: { grantId: this.id('G'), reward: 'free-coffee' },
    } as const;
    const owes = 'quarantine';
    if (kind === 'unknown-type') this.push((now) => recordOf({ ...common, ...member, type: 'reward.lost', owes }, now));
    else this.push((now) => recordOf({ ...common, ...member, program: 'gamma', type: 'reward.granted', owes }, now));
  }

  private emit(sketch: EventSketch): void {
    this.sketches.push(sketch);
    this.push((now) => recordOf(sketch, now));
  }

  private push(make: Emission['make']): void {
    this.emissions.push({ at: this.chance.unit() * this.scenario.troubledMs * 0.9, make });
  }

  private pickSketch(type: string): EventSketch | undefined {
    return this.chance.pickAny(this.sketches.filter((sketch) => sketch.type === type));
  }

  private id(prefix: string): string {
    this.number += 1;
    return `${prefix}${this.number}`;
  }
}
