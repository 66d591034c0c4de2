import type { RoundInput } from '../contestants/contestant.js';

/** One side of a comparison. */
export interface Entrant {
  readonly name: string;
  /** In contestants/contestant-process.ts. Default: its name. */
  readonly program?: string;
  readonly label: string;
  /** `false`: several processes of its own do the work, a profile of this one would tell nothing. Default: true. */
  readonly isProfiled?: boolean;
  /** How it is set up, for the reader. */
  readonly settings: string;
  /** The database that each of its rounds begins with, or null. */
  readonly template: string | null;
  readonly input: Omit<RoundInput, 'databaseUrl'>;
  /** Something beside the round, from before its beginning until the returned function has ended it. */
  readonly beside?: (databaseUrl: string) => Promise<() => Promise<void>>;
  /** Throws where the work of the round is not what it should be. */
  readonly verify: (round: FinishedRound) => Promise<void>;
}

export interface FinishedRound {
  readonly databaseUrl: string;
  readonly done: number;
}
