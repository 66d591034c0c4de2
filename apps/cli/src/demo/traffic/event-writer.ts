import type { Club, Reward } from '../../dev/programs-text.js';
import { clubs, rewards, transactionTypes } from '../../dev/programs-text.js';
import type { Chance } from './chance.js';
import type { CloudEvent, Draft, ExpectedEffect } from './draft.js';

interface Purchase {
  readonly purchaseId: string;
  readonly minor: number;
  state: 'bought' | 'returned' | 'voided';
}

/** A customer as the shop knows her: what has been emitted about her so far. */
export interface Customer {
  readonly club: Club;
  readonly memberId: string;
  readonly purchases: Purchase[];
  hasOptedOut: boolean;
}

/** Customers and purchases that are remembered; older ones do no more shopping. */
const customersMax = 400;
const purchasesPerCustomerMax = 20;

/** The customers who have enrolled. Bounded, so that traffic may go on for ever. */
export class Shop {
  private readonly enrolled: Customer[] = [];

  get customers(): readonly Customer[] {
    return this.enrolled;
  }

  enrol(customer: Customer): void {
    this.enrolled.push(customer);
    if (this.enrolled.length > customersMax) this.enrolled.shift();
  }

  buy(customer: Customer, purchase: Purchase): void {
    customer.purchases.push(purchase);
    if (customer.purchases.length > purchasesPerCustomerMax) customer.purchases.shift();
  }

  /** Purchases that can still be returned or voided, with their customers. */
  boughtPurchases(): readonly { readonly customer: Customer; readonly purchase: Purchase }[] {
    return this.enrolled.flatMap((customer) =>
      customer.purchases.filter(({ state }) => state === 'bought').map((purchase) => ({ customer, purchase })),
    );
  }
}

const stores = ['berlin-07', 'hamburg-02', 'wien-01', 'zuerich-03'];
const campaigns = ['autumn', 'advent', null];
const firstNames = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan', 'Katherine', 'Jürgen', 'Zoë'];
const prefixShare = 0.1;
/** Events are this far apart on the till's clock. */
const tickMs = 10;

interface WriterOptions {
  readonly chance: Chance;
  /** Begins every number, so that two runs with different seeds do not meet. */
  readonly runName: string;
  /** The till's clock at the first event, epoch milliseconds. */
  readonly startMs: number;
}

/** Makes events and what each must cause; numbers them; moves the till's clock. */
export class EventWriter {
  private lastNumber = 0;

  constructor(private readonly options: WriterOptions) {}

  newCustomer(club: Club): Customer {
    return { club, memberId: this.number('m'), purchases: [], hasOptedOut: false };
  }

  newPurchase(): Purchase {
    return { purchaseId: this.number('B'), minor: this.options.chance.between(150, 19_999), state: 'bought' };
  }

  enrolment(customer: Customer): Draft {
    const { chance } = this.options;
    const firstName = chance.pick(firstNames);
    const person = { firstName, lastName: 'Example', email: `${customer.memberId}@example.org` };
    const data = { person, tier: 'basic', smsSubscription: 'promotional', pass: { points: 0 } };
    const operation = customer.club === 'coffee-club' ? 'issue' : 'issue-via-workflow';
    return this.memberEvent(customer, { type: 'enrolled', data, effect: { operation, what: '' } });
  }

  update(customer: Customer): Draft {
    const points = this.lastNumber + 1;
    const data = { changed: ['tier', 'pass.points'], tier: points % 2 === 0 ? 'gold' : 'basic', pass: { points } };
    const effect = { operation: 'update-via-workflow', what: `points ${points}` } as const;
    return this.memberEvent(customer, { type: 'updated', data, effect });
  }

  smsOptOut(customer: Customer): Draft {
    const effect = { operation: 'update-via-workflow', what: 'sms opt-out' } as const;
    return this.memberEvent(customer, { type: 'opted-out', data: { scope: 'sms' }, effect });
  }

  purchase(customer: Customer, purchase: Purchase): Draft {
    const { chance } = this.options;
    const data = {
      ...base(customer),
      purchaseId: purchase.purchaseId,
      channel: 'pos',
      storeId: chance.pick(stores),
      total: money(purchase.minor),
      lines: [{ sku: `SKU-${chance.between(100, 999)}`, quantity: chance.between(1, 4) }],
      attributes: { campaign: chance.pick(campaigns) },
    };
    return this.draft('purchases', customer, {
      event: this.event('loyalty.purchase.completed.v1', data),
      effect: this.purchaseEffect(customer, purchase),
      role: 'purchase',
    });
  }

  refund(customer: Customer, purchase: Purchase): Draft {
    const refundId = this.number('R');
    const data = { ...base(customer), refundId, purchaseId: purchase.purchaseId, total: money(purchase.minor) };
    return this.draft('purchases', customer, {
      event: this.event('loyalty.purchase.refunded.v1', { ...data, reason: 'return' }),
      effect: transactionEffect(customer, transactionTypes.refund, { receipt: refundId, amount: -purchase.minor }),
      role: 'return',
    });
  }

  reward(customer: Customer, reward: Reward): Draft {
    const data = { ...base(customer), grantId: this.number('g'), reward };
    return this.draft('rewards', customer, {
      event: this.event('loyalty.reward.granted.v1', data),
      effect: effectOf(customer, { operation: 'reward', what: rewards[reward] }),
      role: 'reward',
    });
  }

  voided(customer: Customer, purchase: Purchase): Draft {
    const data = { ...base(customer), purchaseId: purchase.purchaseId, reason: 'cashier void' };
    const event = this.event('loyalty.purchase.voided.v1', data);
    const effect = this.purchaseEffect(customer, purchase);
    return {
      ...this.draft('purchases', customer, { event, effect, role: 'void' }),
      expectation: { kind: 'void', effect },
    };
  }

  /** An event of a type, with the next number and time. */
  event(type: string, data: CloudEvent['data']): CloudEvent {
    const id = this.number('e');
    const prefix = this.options.chance.happens(prefixShare) ? 'com.example.' : '';
    const time = new Date(this.options.startMs + this.lastNumber * tickMs).toISOString();
    return { id, source: '/demo/till-1', type: `${prefix}${type}`, time, data };
  }

  number(letter: string): string {
    this.lastNumber += 1;
    return `${letter}-${this.options.runName}-${this.lastNumber}`;
  }

  private purchaseEffect(customer: Customer, { purchaseId, minor }: Purchase): ExpectedEffect {
    return transactionEffect(customer, transactionTypes.purchase, { receipt: purchaseId, amount: minor });
  }

  private memberEvent(
    customer: Customer,
    parts: {
      readonly type: 'enrolled' | 'updated' | 'opted-out';
      readonly data: object;
      readonly effect: Pick<ExpectedEffect, 'operation' | 'what'>;
    },
  ): Draft {
    const event = this.event(`loyalty.member.${parts.type}.v1`, { ...base(customer), ...parts.data });
    return this.draft('members', customer, { event, effect: effectOf(customer, parts.effect), role: parts.type });
  }

  private draft(
    topic: Draft['topic'],
    { memberId }: Customer,
    parts: { readonly event: CloudEvent; readonly effect: ExpectedEffect; readonly role: string },
  ): Draft {
    const { event, effect, role } = parts;
    return { topic, key: memberId, content: { kind: 'event', event }, expectation: { kind: 'effect', effect }, role };
  }
}

function base({ club, memberId }: Customer): { readonly program: string; readonly memberId: string } {
  return { program: club, memberId };
}

function money(minor: number): object {
  return { minor, currency: 'EUR', digits: 2 };
}

function effectOf(customer: Customer, effect: Pick<ExpectedEffect, 'operation' | 'what'>): ExpectedEffect {
  return { ...clubs[customer.club], memberId: customer.memberId, ...effect };
}

/** Amounts as the partner gets them: a JSON number in major units. */
function transactionEffect(
  customer: Customer,
  typeId: string,
  { receipt, amount }: { readonly receipt: string; readonly amount: number },
): ExpectedEffect {
  return effectOf(customer, { operation: 'transaction', what: `${typeId} ${receipt} ${amount / 100}` });
}
