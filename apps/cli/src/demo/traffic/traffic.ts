import type { Club, Reward } from '../../dev/programs-text.js';
import { clubs, rewards } from '../../dev/programs-text.js';
import { Chance } from './chance.js';
import type { Draft } from './draft.js';
import type { Customer } from './event-writer.js';
import { EventWriter, Shop } from './event-writer.js';
import type { RecordTools } from './faulty-records.js';
import { brokenReasons, brokenRecord, Repeats, unknownReward } from './faulty-records.js';

const clubNames = Object.keys(clubs) as readonly Club[];
const rewardNames = Object.keys(rewards) as readonly Reward[];

/** What customers do, and how often. */
const weights = { enrol: 22, buy: 42, giveBack: 9, earn: 13, change: 11, optOut: 3 };

/** What a shop's customers do all day. */
class OrdinaryTraffic {
  constructor(
    private readonly tools: RecordTools,
    private readonly shop: Shop,
  ) {}

  next(): Draft {
    const { chance } = this.tools;
    if (this.shop.customers.length === 0) return this.enrol(this.newCustomer());
    const customer = chance.pick(this.shop.customers);
    switch (chance.pickWeighted(weights)) {
      case 'enrol':
        return this.enrol(this.newCustomer());
      case 'buy':
        return this.buy(customer);
      case 'giveBack':
        return this.giveBack() ?? this.buy(customer);
      case 'earn':
        return this.earn(customer);
      case 'change':
        return this.tools.writer.update(customer);
      case 'optOut':
        return this.optOut(customer);
    }
  }

  newCustomer(): Customer {
    const { chance, writer } = this.tools;
    return writer.newCustomer(chance.pick(clubNames));
  }

  enrol(customer: Customer): Draft {
    this.shop.enrol(customer);
    return this.tools.writer.enrolment(customer);
  }

  buy(customer: Customer): Draft {
    const purchase = this.tools.writer.newPurchase();
    this.shop.buy(customer, purchase);
    return this.tools.writer.purchase(customer, purchase);
  }

  earn(customer: Customer): Draft {
    return this.tools.writer.reward(customer, this.tools.chance.pick(rewardNames));
  }

  /** The till takes a purchase back. Null while there is none to take back. */
  takeBack(): Draft | null {
    const bought = this.shop.boughtPurchases();
    if (bought.length === 0) return null;
    const { customer, purchase } = this.tools.chance.pick(bought);
    purchase.state = 'voided';
    return this.tools.writer.voided(customer, purchase);
  }

  private giveBack(): Draft | null {
    const bought = this.shop.boughtPurchases();
    if (bought.length === 0) return null;
    const { customer, purchase } = this.tools.chance.pick(bought);
    purchase.state = 'returned';
    return this.tools.writer.refund(customer, purchase);
  }

  private optOut(customer: Customer): Draft {
    if (customer.hasOptedOut) return this.buy(customer);
    customer.hasOptedOut = true;
    return this.tools.writer.smsOptOut(customer);
  }
}

interface UnusualParts {
  readonly tools: RecordTools;
  readonly ordinary: OrdinaryTraffic;
  readonly repeats: Repeats;
  /** Puts an enrolment off by so many records. */
  readonly enrolLater: (customer: Customer, recordsLater: number) => void;
}

/** How many records an enrolment may come late. */
const latenessMax = 25;

/**
 * What goes wrong between a till and us, one after another, so that even a short run has seen all of it: duplicates,
 * broken records for every reason, purchases before and without an enrolment. Null: there is nothing to repeat yet.
 */
class UnusualTraffic {
  private readonly acts: readonly (() => Draft | null)[];
  private turn = -1;

  constructor(private readonly parts: UnusualParts) {
    const { tools, repeats, ordinary } = parts;
    const { writer } = tools;
    this.acts = [
      () => repeats.sameEvent(),
      () => this.early(),
      () => repeats.conflictingEvent(),
      () => repeats.sameBusiness(writer.number('e')),
      () => this.stranger((customer) => writer.purchase(customer, writer.newPurchase())),
      () => ordinary.takeBack(),
      () => repeats.conflictingBusiness(writer.number('e')),
      ...brokenReasons.map((reason) => () => brokenRecord(reason, tools)),
      () => this.tombstone(),
      () => this.stranger((customer) => writer.reward(customer, 'birthday-card')),
      () => this.withoutMember(),
      () => unknownReward(tools, ordinary.newCustomer()),
    ];
  }

  next(): Draft | null {
    this.turn += 1;
    return this.acts[this.turn % this.acts.length]?.() ?? null;
  }

  /** A purchase or reward overtakes its enrolment, which lies in another topic. */
  private early(): Draft {
    const { ordinary, tools, enrolLater } = this.parts;
    const customer = ordinary.newCustomer();
    enrolLater(customer, tools.chance.between(1, latenessMax));
    return { ...(tools.chance.happens(0.7) ? ordinary.buy(customer) : ordinary.earn(customer)) };
  }

  /** Somebody who never enrols. */
  private stranger(act: (customer: Customer) => Draft): Draft {
    const draft = act(this.parts.ordinary.newCustomer());
    if (draft.expectation.kind !== 'effect') throw new Error('a stranger does what has an effect');
    return { ...draft, expectation: { kind: 'parked', effect: draft.expectation.effect } };
  }

  private tombstone(): Draft {
    const key = this.parts.tools.writer.number('m');
    return {
      topic: 'members',
      key,
      content: { kind: 'tombstone' },
      expectation: { kind: 'nothing' },
      role: 'tombstone',
    };
  }

  /** Bought without a card. */
  private withoutMember(): Draft {
    const { writer } = this.parts.tools;
    const purchaseId = writer.number('B');
    const data = { program: 'coffee-club', purchaseId, total: { minor: 500, currency: 'EUR', digits: 2 } };
    const event = writer.event('loyalty.purchase.completed.v1', data);
    const content = { kind: 'event', event } as const;
    return { topic: 'purchases', key: purchaseId, content, expectation: { kind: 'nothing' }, role: 'no member' };
  }
}

interface TrafficOptions {
  readonly seed: number;
  /** How many records in all; null: as many as are asked for. */
  readonly records: number | null;
  /** The till's clock at the first event, epoch milliseconds. */
  readonly startMs: number;
}

/** Every so many records one is unusual. */
const unusualEvery = 5;

interface OwedEnrolment {
  readonly customer: Customer;
  readonly dueAt: number;
}

/** A shop's day, the same for the same options: members enrol, buy, return, earn, and things go wrong on the way. */
export class Traffic implements Iterable<Draft> {
  private readonly repeats: Repeats;
  private readonly ordinary: OrdinaryTraffic;
  private readonly unusual: UnusualTraffic;
  private readonly owed: OwedEnrolment[] = [];
  private emitted = 0;

  constructor(private readonly options: TrafficOptions) {
    const chance = new Chance(options.seed);
    const writer = new EventWriter({ chance, runName: options.seed.toString(36), startMs: options.startMs });
    const tools = { chance, writer };
    this.repeats = new Repeats(chance);
    this.ordinary = new OrdinaryTraffic(tools, new Shop());
    const enrolLater = (customer: Customer, recordsLater: number): void => {
      this.owed.push({ customer, dueAt: this.emitted + recordsLater });
    };
    this.unusual = new UnusualTraffic({ tools, ordinary: this.ordinary, repeats: this.repeats, enrolLater });
  }

  *[Symbol.iterator](): Generator<Draft, void, undefined> {
    while (this.options.records === null || this.emitted < this.options.records) {
      const draft = this.draw();
      this.repeats.remember(draft);
      this.emitted += 1;
      yield draft;
    }
  }

  private draw(): Draft {
    const due = this.owed.findIndex(({ dueAt }) => dueAt <= this.emitted || this.mustSettle());
    const [owed] = due === -1 ? [] : this.owed.splice(due, 1);
    if (owed !== undefined) return this.ordinary.enrol(owed.customer);
    const isUnusual = this.emitted % unusualEvery === unusualEvery - 1 && this.left() > 1;
    return (isUnusual ? this.unusual.next() : null) ?? this.ordinary.next();
  }

  /** What is owed must fit into what is left. */
  private mustSettle(): boolean {
    return this.left() <= this.owed.length;
  }

  private left(): number {
    return this.options.records === null ? Number.POSITIVE_INFINITY : this.options.records - this.emitted;
  }
}
