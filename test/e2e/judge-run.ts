import { parseProgramsFile } from '#contracts';
import { waitUntil } from '#embedded';
import { kafkaClient, queryOnce } from '#test-support';

import type { RunNotes, Verdict } from '../checker/index.js';
import { judgeRun, readLog, readOutcomes } from '../checker/index.js';
import { judge } from '../judge/index.js';
import type { Broken, RetailersReport } from '../judge/report.js';
import { retailersReport } from '../judge/report.js';
import type { KnownOfRun } from '../judge/wiring/from-run.js';
import { caseOfRun } from '../judge/wiring/from-run.js';
import type { Harness } from './harness.js';
import { encryptionKey, programsFile } from './harness.js';

interface JudgeOptions {
  /** Text of the programs file that the daemons ran with, if it was another one. */
  readonly programs?: string;
  readonly notes?: Partial<RunNotes>;
  /** What the retailer's judge cannot know of what people did, and of what the partner does. */
  readonly known?: KnownOfRun & Pick<Broken, 'appliedLate' | 'appliedTwice'>;
}

/** Personal values and secrets of the traffic: nowhere in the clear. Names in `traffic.ts` and `harness.ts`. */
const secrets = ['Ada', '@example.org', encryptionKey];

interface Verdicts extends Verdict {
  readonly retailer: RetailersReport;
}

/** Reads what a harness at rest has done, from topic to ledger: the checker's invariants, and a retailer's judgement. */
export async function judgeHarness(harness: Harness, options: JudgeOptions = {}): Promise<Verdicts> {
  await outcomesPublished(harness.database.url);
  const verdict = await askChecker(harness, options);
  return { ...verdict, retailer: await askRetailer(harness, verdict.figures.unknowns, options) };
}

const sourcesOf = ({ topics }: Harness): string[] => [topics.members, topics.purchases, topics.rewards];

async function askChecker(harness: Harness, options: JudgeOptions): Promise<Verdict> {
  const { broker, topics, database, sandboxUrl } = harness;
  const { programs = programsFile, notes } = options;
  const parsed = parseProgramsFile(programs);
  if (!parsed.ok) throw new Error(parsed.errors.join(', '));
  const kafka = kafkaClient(broker);
  const produced = await readLog(kafka, { topics: sourcesOf(harness), programs: parsed.value });
  const outcomes = await readOutcomes(kafka, topics.outcomes);
  return judgeRun({
    databaseUrl: database.url,
    sandboxUrl,
    encryptionKey,
    programs: parsed.value,
    produced,
    more: { outcomes, secrets },
    ...(notes === undefined ? {} : { notes }),
  });
}

/** A retailer's judgement alone: also of what has left the tables. @param unknown attempts whose outcome was not known */
export async function askRetailer(
  harness: Harness,
  unknown: number,
  options: JudgeOptions = {},
): Promise<RetailersReport> {
  const { broker, topics, database, sandboxDatabaseUrl } = harness;
  const { programs = programsFile, known = {} } = options;
  const seen = await caseOfRun({
    kafka: kafkaClient(broker),
    topics: { sources: sourcesOf(harness), outcomes: topics.outcomes },
    databaseUrl: database.url,
    partnerDatabaseUrl: sandboxDatabaseUrl,
    programs,
    known,
  });
  return retailersReport(seen, judge(seen), { ...known, unknown });
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
