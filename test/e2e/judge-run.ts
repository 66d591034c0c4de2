import { parseProgramsFile } from '#contracts';
import { waitUntil } from '#embedded';
import { kafkaClient, queryOnce } from '#test-support';

import type { RunNotes, Verdict } from '../checker/index.js';
import { judgeCells, judgeRun, readLog, readOutcomes } from '../checker/index.js';
import type { Harness } from './harness.js';
import { encryptionKey, programsFile } from './harness.js';

interface JudgeOptions {
  /** Text of the programs file that the daemons ran with, if it was another one. */
  readonly programs?: string;
  readonly notes?: Partial<RunNotes>;
  /** The databases of all cells, where the harness is divided. */
  readonly cells?: readonly string[];
  /** Where retention has written what has left the tables. */
  readonly archiveFolder?: string;
}

/** Personal values and secrets of the traffic: nowhere in the clear. Names in `traffic.ts` and `harness.ts`. */
const secrets = ['Ada', '@example.org', encryptionKey];

/** Reads what a harness at rest has done, from topic to ledger, and holds it against the invariants. */
export async function judgeHarness(
  harness: Harness,
  { programs = programsFile, cells, ...given }: JudgeOptions = {},
): Promise<Verdict> {
  const { broker, topics, database, sandboxUrl } = harness;
  const parsed = parseProgramsFile(programs);
  if (!parsed.ok) throw new Error(parsed.errors.join(', '));
  const kafka = kafkaClient(broker);
  for (const url of cells ?? [database.url]) await outcomesPublished(url);
  const sources = [topics.members, topics.purchases, topics.rewards];
  const produced = await readLog(kafka, { topics: sources, programs: parsed.value });
  const outcomes = await readOutcomes(kafka, topics.outcomes);
  const options = {
    sandboxUrl,
    encryptionKey,
    programs: parsed.value,
    produced,
    more: { outcomes, secrets },
    ...given,
  };
  return cells === undefined ? judgeRun({ ...options, databaseUrl: database.url }) : judgeCells(cells, options);
}

/** Resolves when the outcomes topic has all that is to be told: a process that delivers must run. */
export async function outcomesPublished(databaseUrl: string): Promise<void> {
  await waitUntil(
    async () => {
      const [row] = await queryOnce<{ told: boolean }>(
        databaseUrl,
        `SELECT pos >= (SELECT max(pos) FROM intent_event) AS told FROM projection_checkpoint WHERE name = 'outcomes'`,
      );
      return row?.told === true;
    },
    { what: 'all outcomes to be told', timeoutMs: 30_000 },
  );
}
