import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { waitUntil } from '#embedded';

import { Chance } from '#shop';
import { Tills } from '../traffic/tills.js';
import { dumpTables } from '../verdict/dump-tables.js';
import { describeMachine, Undo } from '../../support/process/program.js';
import type { SoakOptions } from './options.js';
import { commandOf, roundsOf } from './options.js';
import type { SoakReport } from './report.js';
import { minutesOf } from './report.js';
import { Journal, runRounds } from './rounds.js';
import type { SoakHarness } from './soak-harness.js';
import { openSoakHarness } from './soak-harness.js';
import { barsOf } from './verdict/bars.js';
import { findings } from './verdict/findings.js';
import { Watches } from './watches.js';
import { dueBy } from './waves.js';

/** Of each of the two programs, relative to the high wave: the partner is not what holds anybody up. */
const limitPerRate = 4;
const readyMsMax = 120_000;
/** A machine that is busy with other things may take so many times as long, and so long for start, rest and verdict. */
const patience = 3;
const besidesMsMax = 20 * 60_000;

interface Run {
  readonly options: SoakOptions;
  readonly say: (text: string) => void;
}

async function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const done = new AbortController();
  const late = delay(limitMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`the soak is not over after ${Math.round(limitMs / 1_000)} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    await late.catch(() => undefined);
  }
}

/** Everything from the first process to the verdict. Whatever it started is ended, whatever happens. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const startedAt = performance.now();
  const say = (text: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(`[${String(seconds).padStart(4)} s] ${text}\n`);
  };
  const undo = new Undo();
  const limitMs = options.minutes * 60_000 * patience + besidesMsMax;
  const report = await undo.after(() => within(runIn({ options, say }, undo), limitMs));
  return { ...report, secondsInAll: (performance.now() - startedAt) / 1_000 };
}

async function runIn(run: Run, undo: Undo): Promise<SoakReport> {
  const { options, say } = run;
  const requestsPerSecond = Math.ceil(options.rate * limitPerRate);
  const harness = await openSoakHarness({ ...options, requestsPerSecond, say }, undo);
  try {
    return await soak(harness, run);
  } catch (error) {
    say(`it broke off; logs are in ${harness.folder}`);
    throw error;
  }
}

async function soak(harness: SoakHarness, { options, say }: Run): Promise<SoakReport> {
  const startedAt = new Date().toISOString();
  const { minutes, rate, seed } = options;
  const rounds = roundsOf(options);
  for (const slot of harness.slots) slot.up();
  const areReady = (): boolean => harness.slots.every(({ isReady }) => isReady);
  await waitUntil(areReady, { what: 'the daemons', timeoutMs: readyMsMax });
  say(
    `Kafka ${harness.broker.version}, Postgres ${harness.postgres.version}, the sandbox and ${harness.slots.length} daemons are ready`,
  );
  const tills = new Tills({
    brokers: harness.broker.brokers,
    wallet: harness.wallet,
    dueBy: (seconds) => dueBy(seconds, rate),
    seconds: minutes * 60,
    chance: new Chance(seed).fork('traffic'),
  });
  const watches = await Watches.open(harness, () => tills.report().acknowledged);
  const journal = new Journal();
  tills.open();
  const restarts = await runRounds({ harness, journal, rounds, say }).finally(() => tills.close());
  const found = await findings(harness, { options, rounds, tills, watches, journal, restarts, say });
  const bars = barsOf(found);
  const ok = bars.every(({ holds, decides }) => holds || !decides);
  const evidence = ok ? null : await keepEvidence(harness, options);
  harness.evidence.isKept = evidence === harness.folder;
  return {
    ok,
    command: commandOf(options),
    seed,
    startedAt,
    secondsInAll: 0,
    machine: await describeMachine(),
    postgres: harness.postgres.version,
    ...found,
    byMinute: minutesOf({ beats: watches.beats, samples: watches.samples, restarts }, rounds.seconds),
    bars,
    evidence,
  };
}

/** @returns the folder with the logs of all processes and every table of both databases */
async function keepEvidence(harness: SoakHarness, { folder }: SoakOptions): Promise<string> {
  await dumpTables(harness.postgres.url, join(harness.folder, 'truth'));
  await dumpTables(harness.wallet.databaseUrl, join(harness.folder, 'wallet'));
  if (folder === null) return harness.folder;
  await cp(harness.folder, folder, { recursive: true });
  return folder;
}
