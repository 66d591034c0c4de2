import { waitUntil } from '#embedded';
import { kafkaClient, queryOnce } from '#test-support';

import type { RunNotes } from '../checker/index.js';
import type { RetailersReport } from '../judge/report.js';
import type { Verdicts, WhatIsKnown } from '../judge/wiring/ask-both.js';
import { askBoth, askRetailer } from '../judge/wiring/ask-both.js';
import type { Run } from '../reading/run.js';
import { readRun } from '../reading/run.js';
import type { Harness } from './harness.js';
import { encryptionKey, programsFile } from './harness.js';

interface JudgeOptions {
  /** Text of the programs file that the daemons ran with, if it was another one. */
  readonly programs?: string;
  readonly notes?: Partial<RunNotes>;
  /** What the retailer's judge cannot know of what people did, and of what the partner does. */
  readonly known?: NonNullable<WhatIsKnown['known']>;
}

/** Personal values and secrets of the traffic: nowhere in the clear. Names in `traffic.ts` and `harness.ts`. */
const secrets = ['Ada', '@example.org', encryptionKey];

/** Reads what a harness at rest has done, from topic to ledger: the checker's invariants, and a retailer's judgement. */
export async function judgeHarness(harness: Harness, options: JudgeOptions = {}): Promise<Verdicts> {
  await outcomesPublished(harness.database.url);
  return askBoth(await readHarness(harness), { programs: programsFile, ...options, encryptionKey, secrets });
}

/** A retailer's judgement alone: also of what has left the tables. */
export async function judgeAsRetailer(harness: Harness): Promise<RetailersReport> {
  return askRetailer(await readHarness(harness), { programs: programsFile }, 0);
}

function readHarness({ broker, topics, database, sandboxDatabaseUrl }: Harness): Promise<Run> {
  return readRun({
    kafka: kafkaClient(broker),
    topics: { sources: [topics.members, topics.purchases, topics.rewards], outcomes: topics.outcomes },
    databaseUrl: database.url,
    encryptionKey,
    partnerDatabaseUrl: sandboxDatabaseUrl,
  });
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
