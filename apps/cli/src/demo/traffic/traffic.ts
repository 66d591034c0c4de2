import { Chance } from './chance.js';
import type { Draft } from './draft.js';
import { EventWriter } from './event-writer.js';
import { OrdinaryTraffic } from './ordinary-traffic.js';
import { Repeats } from './repeats.js';
import type { Customer } from './shop.js';
import { Shop } from './shop.js';
import { UnusualTraffic } from './unusual-traffic.js';

export interface TrafficOptions {
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
    const workshop = { chance, writer };
    this.repeats = new Repeats(chance);
    this.ordinary = new OrdinaryTraffic(workshop, new Shop());
    const enrolLater = (customer: Customer, recordsLater: number): void => {
      this.owed.push({ customer, dueAt: this.emitted + recordsLater });
    };
    this.unusual = new UnusualTraffic({ workshop, ordinary: this.ordinary, repeats: this.repeats, enrolLater });
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
