import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { lastName, mailDomain } from '#shop';
import { kafkaClient } from '#test-support';

import type { MeantBy } from '../../checker/index.js';
import { RunSampler } from '../../checker/index.js';
import type { OperatorAct } from '../../judge/case.js';
import { askBoth } from '../../judge/wiring/ask-both.js';
import { readRun } from '../../reading/run.js';
import type { JudgedHistory } from '../chaos/report.js';
import type { Broker } from '../installation/broker.js';
import { encryptionKey, operatorToken } from '../installation/chaos-harness.js';
import { outcomesTopic, topicsRead } from '../installation/programs.js';

const pollIntervalMs = 5_000;
/** One lane of so many is looked at. */
const everyLane = 100;

/** Looks at lanes and offsets while they are being fought over, and until all is read: what nobody saw being read counts as read at once. */
export class Watch {
  readonly sampler = new RunSampler(encryptionKey, everyLane);
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>;

  constructor(private readonly harness: Pick<Judged, 'postgres'>) {
    this.work = this.watch();
  }

  /** With one last look. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
    await this.look().catch(() => undefined);
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Postgres may be away, or be killed in the middle of it.
      await this.look().catch(() => undefined);
      await delay(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const client = new pg.Client({ connectionString: this.harness.postgres.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await this.sampler.look(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Nowhere in the clear: personal values of the traffic, and secrets. */
const secretsOfEveryRun = [lastName, mailDomain, encryptionKey, operatorToken];
/** Both clocks are the machine's; a busy one lets an answer lie for a while before it is written down. */
const clockToleranceMs = 1_500;

/** What is left of a run, and where it is read. */
export interface Judged {
  /** Of the daemons' logs. */
  readonly folder: string;
  readonly broker: Pick<Broker, 'brokers'>;
  readonly postgres: { readonly url: string };
  readonly wallet: { readonly databaseUrl: string };
  readonly programsPath: string;
  /** Some tills wrote receipts of their own. */
  readonly hasMarkets?: boolean;
}

interface WhatIsKnown {
  readonly isAtRest: boolean;
  readonly isStopped: boolean;
  readonly replicas: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Calls that the partner spoiled, by `kind operation`. */
  readonly spoiled: Readonly<Record<string, number>>;
  /** What the audit does not show of what people did. */
  readonly operators?: readonly OperatorAct[];
  readonly watch: Watch;
  /** What the tills meant by a receipt of their own. */
  readonly meantBy?: MeantBy;
  /** Further values that must stand nowhere in the clear. */
  readonly secrets?: readonly string[];
}

/** Lines of the daemons' logs that show what they must not. */
async function revealingLines(folder: string, secrets: readonly string[]): Promise<{ where: string; text: string }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log') && name !== 'sandbox.log');
  const files = await Promise.all(
    names.map(async (where) => ({ where, lines: (await readFile(join(folder, where), 'utf8')).split('\n') })),
  );
  return files.flatMap(({ where, lines }) =>
    lines.filter((line) => secrets.some((secret) => line.includes(secret))).map((text) => ({ where, text })),
  );
}

/** Calls that any of these kinds struck. */
function struck(spoiled: WhatIsKnown['spoiled'], kind: string): number {
  const own = Object.entries(spoiled).filter(([name]) => name.startsWith(`${kind} `));
  return own.reduce((sum, [, count]) => sum + count, 0);
}

/** Reads everything that the run has left, from Kafka's log to the partner's ledger, and lets both judges judge. */
export async function judgeHarness(harness: Judged, known: WhatIsKnown): Promise<JudgedHistory> {
  const { broker, postgres, wallet, folder, programsPath } = harness;
  const { isAtRest, isStopped, replicas, faults, spoiled, operators = [] } = known;
  const secrets = [...secretsOfEveryRun, ...(known.secrets ?? [])];
  const run = await readRun({
    kafka: kafkaClient(broker),
    topics: { sources: topicsRead(harness), outcomes: outcomesTopic },
    databaseUrl: postgres.url,
    encryptionKey,
    partnerDatabaseUrl: wallet.databaseUrl,
  });
  const [appliedLate, appliedTwice] = [struck(spoiled, 'commit-late'), struck(spoiled, 'commit-twice')];
  const { figures, broken, exposures, violations, retailer } = await askBoth(run, {
    encryptionKey,
    programs: await readFile(programsPath, 'utf8'),
    secrets,
    clearTexts: await revealingLines(folder, secrets),
    notes: { isAtRest, isStopped, replicas, faults, clockToleranceMs },
    samples: known.watch.sampler,
    known: { operators, appliedLate, appliedTwice },
    ...(known.meantBy && { meantBy: known.meantBy }),
  });
  const first = violations[0] ?? null;
  return { recordsInLog: run.records.length, figures, broken, exposures, first, violations, retailer };
}
