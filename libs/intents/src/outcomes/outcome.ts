import type { OutcomeData } from '#contracts';

/** One outcome on its way to the outcomes topic. Holds personal values: it travels to Kafka and nowhere else. */
export type Outcome = OutcomeData & {
  /** The same whenever it is published again: made of program, member, lane version and name. */
  readonly id: string;
  readonly memberId: string;
  /** Epoch ms: when it became known. */
  readonly at: number;
  /** Rises within a member's outcomes. */
  readonly version: number;
};
