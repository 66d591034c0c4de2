import { resolve } from 'node:path';

import type { Child } from './child.js';
import { startChild } from './child.js';
import type { RoundAnswer, RoundFigures, RoundInput } from './contestants/contestant.js';
import type { BenchPostgres } from './infrastructure/bench-postgres.js';
import type { StatementCost, StatementPlan } from './infrastructure/statements.js';
import type { Entrant } from './measures/measure.js';
import type { PartnerStub } from './stub/start-stub.js';

/** What a round took of others. */
interface Usage {
  /** Bytes of write-ahead log. */
  readonly walBytes: number;
  /**
   * Processor time of the entrant's server: Postgres, or one of its own. Null where there is none, and where it runs
   * elsewhere.
   */
  readonly serverCpuSeconds: number | null;
  /** Processor time of the partner stub; null without one. */
  readonly stubCpuSeconds: number | null;
  /** None unless the run is profiled. */
  readonly statementCosts: readonly StatementCost[];
}

const difference = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : after - before;

/** Whose time a round takes, and the database whose statements count, or null. */
interface Metered {
  readonly postgres: BenchPostgres;
  readonly stub: PartnerStub | undefined;
  readonly followed: string | null;
}

/**
 * Begins to measure.
 * @returns ends it
 */
const meterOthers = async ({ postgres, stub, followed }: Metered): Promise<() => Promise<Usage>> => {
  const stubCpu = async (): Promise<number | null> => (await stub?.cpuSeconds()) ?? null;
  if (followed !== null) await postgres.followStatements();
  const wal = await postgres.walBytes();
  const cpu = await postgres.cpuSeconds();
  const stubBefore = await stubCpu();
  return async () => ({
    stubCpuSeconds: difference(stubBefore, await stubCpu()),
    walBytes: (await postgres.walBytes()) - wal,
    serverCpuSeconds: difference(cpu, await postgres.cpuSeconds()),
    statementCosts: followed === null ? [] : await postgres.statementCosts(followed),
  });
};

export type MeasuredRound = RoundFigures & Usage;

interface RoundsRequest {
  readonly entrants: readonly Entrant[];
  readonly rounds: number;
  readonly postgres: BenchPostgres;
  /** Of the partner that the entrants call, where they call one. */
  readonly stub: PartnerStub | undefined;
  /** Folder for V8 profiles of the entrants; null: none is made. */
  readonly profileFolder: string | null;
  /** Whether the server was started to follow statements. */
  readonly followsStatements: boolean;
  /** Called before each round; `null` is the uncounted one. */
  readonly beforeRound: (entrant: Entrant, round: number | null) => Promise<void>;
}

/** Grace for a contestant to say that it was too slow before we stop listening. */
const answerGraceMs = 60_000;

/**
 * V8 gives memory back while a process has nothing to do, as between two rounds: the copy of a large database takes up
 * to 20 s. Its young generation then begins small again, and 8,000 deliveries cost 180 us each instead of 125.
 */
const steadyHeap = '--no-memory-reducer';

const profileFlags = (folder: string | null, name: string): string[] =>
  folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`, `--cpu-prof-name=${name}.cpuprofile`];

export interface RoundsResult {
  /** The counted ones, by the entrant's name. */
  readonly rounds: ReadonlyMap<string, readonly MeasuredRound[]>;
  /** How Postgres executed the statements of the first entrant, ours, in the uncounted round; none without a profile. */
  readonly plans: readonly StatementPlan[];
}

const database = 'round';

interface Turn {
  readonly entrant: Entrant;
  /** `null` is the uncounted one. */
  readonly round: number | null;
  readonly isExplained: boolean;
}

interface Played {
  readonly figures: MeasuredRound;
  readonly plans: readonly StatementPlan[];
}

const provideDatabase = async (
  postgres: BenchPostgres,
  template: string | null,
  isExplained: boolean,
): Promise<string> => {
  if (template === null) return '';
  const url = await postgres.clone(template, database);
  if (isExplained) await postgres.explainStatements(database);
  return url;
};

/** What others took in the whole round is shared out to its units; only some of them may count. */
const withUsage = (figures: RoundFigures, usage: Usage, hasDatabase: boolean): MeasuredRound => {
  const { done, altogether = done, ownServerCpuSeconds } = figures;
  const share = (value: number | null): number | null => (value === null ? null : (value * done) / altogether);
  const postgresCpuSeconds = hasDatabase ? share(usage.serverCpuSeconds) : null;
  return {
    ...figures,
    ...usage,
    walBytes: (usage.walBytes * done) / altogether,
    serverCpuSeconds: ownServerCpuSeconds ?? postgresCpuSeconds,
    stubCpuSeconds: share(usage.stubCpuSeconds),
  };
};

const play = async (
  child: Child,
  { entrant, isExplained }: Turn,
  { postgres, stub, followsStatements }: RoundsRequest,
): Promise<Played> => {
  const { template, input } = entrant;
  const databaseUrl = await provideDatabase(postgres, template, isExplained);
  const followed = template === null || !followsStatements ? null : database;
  const endMeter = await meterOthers({ postgres, stub, followed });
  const work: RoundInput = { ...input, databaseUrl };
  const answer = await child.ask<RoundAnswer>(work, input.secondsMax * 1_000 + answerGraceMs);
  if ('error' in answer) throw new Error(`${entrant.label}: ${answer.error}`);
  const usage = await endMeter();
  const plans = isExplained ? await postgres.statementPlans(database) : [];
  await entrant.verify({ databaseUrl, done: answer.figures.done });
  if (template !== null) await postgres.drop(database);
  return { figures: withUsage(answer.figures, usage, template !== null), plans };
};

const turnsOf = ({ entrants, rounds, followsStatements }: RoundsRequest): Turn[] => {
  const [ours] = entrants;
  const mayExplain = followsStatements && ours !== undefined && ours.template !== null;
  return [null, ...Array.from({ length: rounds }, (_, index) => index + 1)].flatMap((round) =>
    entrants.map((entrant) => ({ entrant, round, isExplained: mayExplain && round === null && entrant === ours })),
  );
};

/** Lets the entrants take turns, each in a process of its own that lives through all rounds, as a daemon does. */
export const runRounds = async (request: RoundsRequest): Promise<RoundsResult> => {
  const { entrants, profileFolder, beforeRound } = request;
  const children = new Map<string, Child>();
  const rounds = new Map<string, MeasuredRound[]>(entrants.map(({ name }) => [name, []]));
  const plans: StatementPlan[] = [];
  const childOf = async ({ name, program = name, isProfiled = true }: Entrant): Promise<Child> => {
    const path = 'contestants/contestant-process';
    const flags = isProfiled ? profileFlags(profileFolder, name) : [];
    const child = children.get(name) ?? (await startChild(path, [program], [steadyHeap, ...flags])).child;
    children.set(name, child);
    return child;
  };
  try {
    for (const turn of turnsOf(request)) {
      const child = await childOf(turn.entrant);
      await beforeRound(turn.entrant, turn.round);
      const played = await play(child, turn, request);
      plans.push(...played.plans);
      if (turn.round !== null) rounds.get(turn.entrant.name)?.push(played.figures);
    }
    return { rounds, plans };
  } finally {
    await Promise.all([...children.values()].map((child) => child.stop()));
  }
};
