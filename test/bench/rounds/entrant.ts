import type { RoundInput } from '../contestants/contestant.js';

/** One side of a comparison. */
export interface Entrant {
  /** Name of its program in contestants/contestant-process.ts. */
  readonly name: string;
  readonly label: string;
  /** How it is set up, for the reader. */
  readonly settings: string;
  /** The database that each of its rounds begins with, or null. */
  readonly template: string | null;
  readonly input: Omit<RoundInput, 'databaseUrl'>;
  /** Throws where the work of the round is not what it should be. */
  readonly verify: (round: FinishedRound) => Promise<void>;
  /** Its first counted round may stop early: too slow to be watched to the end. */
  readonly mayStopEarly: boolean;
}

export interface FinishedRound {
  readonly databaseUrl: string;
  readonly done: number;
}
