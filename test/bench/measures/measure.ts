import type { BenchPlan } from '../bench-plan.js';
import type { RoundInput } from '../contestants/contestant.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import type { Bar, MeasureReport } from '../report/bench-report.js';
import type { PartnerStub } from '../stub/start-stub.js';

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
  /** Throws where the work of the round is not what it should be. */
  readonly verify: (round: FinishedRound) => Promise<void>;
}

export interface FinishedRound {
  readonly databaseUrl: string;
  readonly done: number;
}

/** What is compared with what. The first entrant is ours. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly entrants: readonly Entrant[];
  readonly bars: readonly Bar[];
  readonly notes: readonly string[];
  /** Of the partner that the entrants call, where they call one. */
  readonly stub?: PartnerStub;
  /** Of these entrants it is found out where their time goes, by a profile of its own, after the rounds. Default: none. */
  readonly budgetsOf?: readonly string[];
  /** Counted rounds, where they are not the plan's. */
  readonly rounds?: number;
  /** Before each round. */
  readonly beforeRound: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface MeasureTools {
  readonly plan: BenchPlan;
  readonly postgres: BenchPostgres;
  /** Base64 */
  readonly encryptionKey: string;
  /** Folder for V8 profiles of the contestants, or null. */
  readonly profileFolder: string | null;
  readonly say: (text: string) => void;
  /** What the run has found so far. */
  readonly earlier: readonly MeasureReport[];
}

/** Runs a measure to its end and leaves nothing behind. */
export type RunMeasure = (tools: MeasureTools) => Promise<MeasureReport>;
