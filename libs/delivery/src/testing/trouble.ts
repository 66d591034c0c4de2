/** What goes wrong just now. Probabilities are per call. */
export interface Trouble {
  /** A database call fails: before its commit, after it, or it commits after it has failed. */
  database: number;
  /** A partner's answer is not a success. */
  partner: number;
  /** A process stands still for seconds before it handles what has arrived, or before a request leaves it. */
  stall: number;
  isDatabaseAway: boolean;
  isPartnerAway: boolean;
  /** A lane whose steps the database refuses as defective, whatever goes with them. */
  poisonedLane: number | null;
}

export function noTrouble(): Trouble {
  return { database: 0, partner: 0, stall: 0, isDatabaseAway: false, isPartnerAway: false, poisonedLane: null };
}
