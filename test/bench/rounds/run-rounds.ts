import { resolve } from 'node:path';
import { type Child, startChild } from '../child.js';
import type { RoundAnswer, RoundFigures, RoundInput } from '../contestants/contestant.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import type { Entrant } from './entrant.js';
import { meterServer, type ServerUsage } from './server-usage.js';

export type MeasuredRound = RoundFigures & ServerUsage;

export interface RoundsRequest {
  readonly entrants: readonly Entrant[];
  readonly rounds: number;
  readonly postgres: BenchPostgres;
  readonly profileFolder: string | null;
  /** Called before each round; `null` is the uncounted one. */
  readonly beforeRound: (entrant: Entrant, round: number | null) => Promise<void>;
}

/** Grace for a contestant to say that it was too slow before we stop listening. */
const answerGraceMs = 60_000;

const programFlags = (folder: string | null, name: string): string[] =>
  folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`, `--cpu-prof-name=${name}.cpuprofile`];

const database = 'round';

const play = async (
  child: Child,
  entrant: Entrant,
  { postgres, profileFolder }: RoundsRequest,
): Promise<MeasuredRound> => {
  const { template, input } = entrant;
  const databaseUrl = template === null ? '' : await postgres.clone(template, database);
  const endMeter = await meterServer(postgres, template === null || profileFolder === null ? null : database);
  const work: RoundInput = { ...input, databaseUrl };
  const endBeside = await entrant.beside?.(databaseUrl);
  const asked = child.ask<RoundAnswer>(work, input.secondsMax * 1_000 + answerGraceMs);
  const answer = await asked.finally(() => endBeside?.());
  if ('error' in answer) throw new Error(`${entrant.label}: ${answer.error}`);
  const usage = await endMeter();
  await entrant.verify({ databaseUrl, done: answer.figures.done });
  if (template !== null) await postgres.drop(database);
  return { ...answer.figures, ...usage };
};

/**
 * Lets the entrants take turns, each in a process of its own that lives through all rounds, as a daemon does.
 * @returns the counted rounds by entrant's name
 */
export const runRounds = async (request: RoundsRequest): Promise<Map<string, MeasuredRound[]>> => {
  const { entrants, rounds, profileFolder, beforeRound } = request;
  const children = new Map<string, Child>();
  const results = new Map<string, MeasuredRound[]>(entrants.map(({ name }) => [name, []]));
  const childOf = async ({ name, program = name }: Entrant): Promise<Child> => {
    const path = 'contestants/contestant-process';
    const child = children.get(name) ?? (await startChild(path, [program], programFlags(profileFolder, name))).child;
    children.set(name, child);
    return child;
  };
  const turns = Array.from({ length: rounds + 1 }, (_, round) =>
    entrants.map((entrant) => ({ round, entrant })),
  ).flat();
  try {
    for (const { round, entrant } of turns) {
      const child = await childOf(entrant);
      await beforeRound(entrant, round === 0 ? null : round);
      const result = await play(child, entrant, request);
      if (round > 0) results.get(entrant.name)?.push(result);
    }
    return results;
  } finally {
    await Promise.all([...children.values()].map((child) => child.stop()));
  }
};
