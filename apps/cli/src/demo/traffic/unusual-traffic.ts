import type { Workshop } from './broken-records.js';
import { brokenReasons, brokenRecord, unknownReward } from './broken-records.js';
import type { Draft } from './draft.js';
import type { OrdinaryTraffic } from './ordinary-traffic.js';
import type { Repeats } from './repeats.js';
import type { Customer } from './shop.js';

export interface UnusualParts {
  readonly workshop: Workshop;
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
export class UnusualTraffic {
  private readonly acts: readonly (() => Draft | null)[];
  private turn = -1;

  constructor(private readonly parts: UnusualParts) {
    const { workshop, repeats, ordinary } = parts;
    const { writer } = workshop;
    this.acts = [
      () => repeats.sameEvent(),
      () => this.early(),
      () => repeats.conflictingEvent(),
      () => repeats.sameBusiness(writer.number('e')),
      () => this.stranger((customer) => writer.purchase(customer, writer.newPurchase())),
      () => ordinary.takeBack(),
      () => repeats.conflictingBusiness(writer.number('e')),
      ...brokenReasons.map((reason) => () => brokenRecord(reason, workshop)),
      () => this.tombstone(),
      () => this.stranger((customer) => writer.reward(customer, 'birthday-card')),
      () => this.withoutMember(),
      () => unknownReward(workshop, ordinary.newCustomer()),
    ];
  }

  next(): Draft | null {
    this.turn += 1;
    return this.acts[this.turn % this.acts.length]?.() ?? null;
  }

  /** A purchase or reward overtakes its enrolment, which lies in another topic. */
  private early(): Draft {
    const { ordinary, workshop, enrolLater } = this.parts;
    const customer = ordinary.newCustomer();
    enrolLater(customer, workshop.chance.between(1, latenessMax));
    return { ...(workshop.chance.happens(0.7) ? ordinary.buy(customer) : ordinary.earn(customer)) };
  }

  /** Somebody who never enrols. */
  private stranger(act: (customer: Customer) => Draft): Draft {
    const draft = act(this.parts.ordinary.newCustomer());
    if (draft.expectation.kind !== 'effect') throw new Error('a stranger does what has an effect');
    return { ...draft, expectation: { kind: 'parked', effect: draft.expectation.effect } };
  }

  private tombstone(): Draft {
    const key = this.parts.workshop.writer.number('m');
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
    const { writer } = this.parts.workshop;
    const purchaseId = writer.number('B');
    const data = { program: 'coffee-club', purchaseId, total: { minor: 500, currency: 'EUR', digits: 2 } };
    const event = writer.event('loyalty.purchase.completed.v1', data);
    const content = { kind: 'event', event } as const;
    return { topic: 'purchases', key: purchaseId, content, expectation: { kind: 'nothing' }, role: 'no member' };
  }
}
