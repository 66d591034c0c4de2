import type { Chance } from '../chance.js';
import type { ChaosHouse } from '../installation/chaos-house.js';

/** Ends what a fault began. */
export type Heal = () => Promise<void>;

/** What is broken; two faults of one seat are not on at once. */
export type Seat =
  'daemons' | 'guest' | 'postgres' | 'kafka' | 'postgres network' | 'kafka network' | 'partner network' | 'partner';

/** One way to break something. */
export interface Fault {
  readonly kind: string;
  readonly seat: Seat;
  /** How long it lasts at least, and at most. */
  readonly lastsMs: readonly [min: number, max: number];
  /** It has to do with the broker itself, which only a real one survives. */
  readonly needsRealKafka?: boolean;
  /** Only alone: it would make the verdict on others too mild. */
  readonly isAloneOnly?: boolean;
  readonly begin: (house: ChaosHouse, chance: Chance) => Promise<Heal>;
}

export const nothingToHeal: Heal = () => Promise.resolve();
