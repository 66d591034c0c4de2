import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';
import { lastName, mailDomain } from '#shop';
import { kafkaClient } from '#test-support';

import type { HeardOutcome, RunNotes } from '../../checker/index.js';
import type { OperatorAct } from '../../judge/case.js';
import { judge } from '../../judge/index.js';
import type { RetailersReport } from '../../judge/report.js';
import { retailersReport } from '../../judge/report.js';
import { caseOfRun } from '../../judge/wiring/from-run.js';
import { judgeRun, MemberSeals, readLog, readOutcomes, RunSampler } from '../../checker/index.js';
import type { Broker } from '../installation/broker.js';
import { encryptionKey, operatorToken } from '../installation/chaos-harness.js';
import { outcomesTopic, sourceTopics } from '../installation/programs.js';
import type { JudgedHistory } from '../chaos/report.js';

const pollIntervalMs = 5_000;
/** One lane of so many is looked at. */
const everyLane = 100;

/** Looks at lanes and offsets while they are being fought over, and until all is read: what nobody saw being read counts as read at once. */
export class Watch {
  readonly sampler = new RunSampler(new MemberSeals(encryptionKey), everyLane);
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
  readonly wallet: { readonly url: string; readonly databaseUrl: string; readonly controlKey?: string };
  readonly programsPath: string;
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
  /** Further values that must stand nowhere in the clear. */
  readonly secrets?: readonly string[];
}

async function readPrograms({ programsPath }: Judged): Promise<ProgramsFile> {
  const parsed = parseProgramsFile(await readFile(programsPath, 'utf8'));
  if (!parsed.ok) throw new Error(parsed.errors.join(', '));
  return parsed.value;
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

/** The same run, from outside. */
async function askRetailer(
  { broker, postgres, wallet, programsPath }: Judged,
  { spoiled, watch, operators = [] }: WhatIsKnown,
  unknown: number,
): Promise<RetailersReport> {
  const seen = await caseOfRun({
    kafka: kafkaClient(broker),
    topics: { sources: Object.values(sourceTopics), outcomes: outcomesTopic },
    databaseUrl: postgres.url,
    partnerDatabaseUrl: wallet.databaseUrl,
    programs: await readFile(programsPath, 'utf8'),
    known: { offsets: watch.sampler.offsets, operators },
  });
  const [appliedLate, appliedTwice] = [struck(spoiled, 'commit-late'), struck(spoiled, 'commit-twice')];
  return retailersReport(seen, judge(seen), { appliedLate, appliedTwice, unknown });
}

/** Reads everything that the run has left, from Kafka's log to the partner's ledger, and lets both judges judge. */
export async function judgeHarness(harness: Judged, known: WhatIsKnown): Promise<JudgedHistory> {
  const { broker, postgres, wallet, folder } = harness;
  const secrets = [...secretsOfEveryRun, ...(known.secrets ?? [])];
  const programs = await readPrograms(harness);
  const kafka = kafkaClient(broker);
  const produced = await readLog(kafka, { topics: Object.values(sourceTopics), programs });
  const outcomes: HeardOutcome[] = await readOutcomes(kafka, outcomesTopic);
  const { isAtRest, isStopped, replicas, faults } = known;
  const notes: Partial<RunNotes> = { isAtRest, isStopped, replicas, faults, clockToleranceMs };
  const verdict = await judgeRun({
    databaseUrl: postgres.url,
    sandboxUrl: wallet.url,
    ...(wallet.controlKey === undefined ? {} : { sandboxKey: wallet.controlKey }),
    encryptionKey,
    programs,
    produced,
    notes,
    samples: known.watch.sampler,
    more: { outcomes, secrets, clearTexts: await revealingLines(folder, secrets) },
  });
  const { figures, broken, exposures, violations } = verdict;
  const retailer = await askRetailer(harness, known, figures.unknowns);
  const first = violations[0] ?? null;
  return { recordsInLog: produced.length, figures, broken, exposures, first, violations, retailer };
}
