import type { Club, Reward } from '../../house/programs-text.js';
import { clubs, rewards } from '../../house/programs-text.js';
import type { Workshop } from './broken-records.js';
import type { Draft } from './draft.js';
import type { Customer, Shop } from './shop.js';

const clubNames = Object.keys(clubs) as readonly Club[];
const rewardNames = Object.keys(rewards) as readonly Reward[];

/** What customers do, and how often. */
const weights = { enrol: 22, buy: 42, giveBack: 9, earn: 13, change: 11, optOut: 3 };

/** What a shop's customers do all day. */
export class OrdinaryTraffic {
  constructor(
    private readonly workshop: Workshop,
    private readonly shop: Shop,
  ) {}

  next(): Draft {
    const { chance } = this.workshop;
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
        return this.workshop.writer.update(customer);
      case 'optOut':
        return this.optOut(customer);
    }
  }

  newCustomer(): Customer {
    const { chance, writer } = this.workshop;
    return writer.newCustomer(chance.pick(clubNames));
  }

  enrol(customer: Customer): Draft {
    this.shop.enrol(customer);
    return this.workshop.writer.enrolment(customer);
  }

  buy(customer: Customer): Draft {
    const purchase = this.workshop.writer.newPurchase();
    this.shop.buy(customer, purchase);
    return this.workshop.writer.purchase(customer, purchase);
  }

  earn(customer: Customer): Draft {
    return this.workshop.writer.reward(customer, this.workshop.chance.pick(rewardNames));
  }

  /** The till takes a purchase back. Null while there is none to take back. */
  takeBack(): Draft | null {
    const standing = this.shop.standingPurchases();
    if (standing.length === 0) return null;
    const { customer, purchase } = this.workshop.chance.pick(standing);
    purchase.state = 'voided';
    return this.workshop.writer.voided(customer, purchase);
  }

  private giveBack(): Draft | null {
    const standing = this.shop.standingPurchases();
    if (standing.length === 0) return null;
    const { customer, purchase } = this.workshop.chance.pick(standing);
    purchase.state = 'returned';
    return this.workshop.writer.refund(customer, purchase);
  }

  private optOut(customer: Customer): Draft {
    if (customer.hasOptedOut) return this.buy(customer);
    customer.hasOptedOut = true;
    return this.workshop.writer.smsOptOut(customer);
  }
}
