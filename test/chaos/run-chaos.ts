import { cp } from 'node:fs/promises';

import { waitUntil } from '#embedded';

import { describeMachine } from '../support/process/program.js';
import { Chance } from './chance.js';
import type { ChaosHouse } from './installation/chaos-house.js';
import { openChaosHouse, removeFolder } from './installation/chaos-house.js';
import { Nemesis } from './nemesis/nemesis.js';
import type { ChaosOptions } from './options.js';
import { commandOf } from './options.js';
import type { ChaosReport, FaultsReport } from './report/chaos-report.js';
import { Tills } from './traffic/tills.js';
import { awaitRest } from './verdict/at-rest.js';
import { audit } from './verdict/audit.js';
import { barsOf } from './verdict/bars.js';
import { dumpTables } from './verdict/dump-tables.js';
import { readFigures } from './verdict/figures.js';
import { fleetReport } from './verdict/fleet-report.js';
import { judgeHouse } from './verdict/judge-house.js';
import { Watch } from './verdict/watch.js';

/** Of each of the two programs, relative to the rate of events: enough to catch up, little enough to be behind at times. */
const limitPerRate = 4;
const readyMsMax = 90_000;

interface Run {
  readonly options: ChaosOptions;
  readonly chance: Chance;
  readonly say: (text: string) => void;
}

/** Everything from the first process to the verdict. Whatever it started is ended, whatever happens. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now();
  const say = (text: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(`[${String(seconds).padStart(4)} s] ${text}\n`);
  };
  const chance = new Chance(options.seed);
  const requestsPerSecond = Math.ceil(options.rate * limitPerRate);
  const house = await openChaosHouse({
    daemons: options.daemons,
    requestsPerSecond,
    chance: chance.fork('house'),
    say,
  });
  let keepsFolder = true;
  try {
    const report = await runIn(house, { options, chance, say });
    keepsFolder = report.evidence === house.folder;
    return { ...report, secondsInAll: (performance.now() - startedAt) / 1_000 };
  } finally {
    await house.close();
    if (!keepsFolder) await removeFolder(house);
  }
}

async function runIn(house: ChaosHouse, run: Run): Promise<ChaosReport> {
  const { options, say } = run;
  const startedAt = new Date().toISOString();
  const watch = new Watch(house);
  const { tills, nemesis } = await rage(house, run).finally(() => watch.stop());
  const rest = await awaitRest(house, say);
  say(rest.isAtRest ? `at rest after ${rest.seconds} s` : 'never at rest');
  const ends = await Promise.all(house.posts.map(({ slot }) => slot.down()));
  say('judging');
  const faults = await faultsReport(house, nemesis);
  const measured = {
    seconds: options.seconds,
    kafka: { version: house.broker.version, origin: house.broker.origin, isReal: house.broker.real !== null },
    faults,
    events: tills.report(),
    truth: await readFigures(house.postgres.url),
    fleet: fleetReport(
      [...house.posts, house.guest].map(({ slot }) => slot),
      ends,
    ),
    rest,
    audit: await audit(tills.owed, { truth: house.postgres.url, wallet: house.wallet.databaseUrl }),
    verdict: await judgeHouse(house, {
      isAtRest: rest.isAtRest,
      isStopped: ends.every((end) => end?.code === 0),
      replicas: options.daemons + 1,
      faults: { ...faults.begun, ...faults.partnerCalls },
      watch,
    }),
  };
  const bars = barsOf(measured);
  const ok = bars.every(({ holds, decides }) => holds || !decides);
  return {
    ok,
    command: commandOf(options),
    seed: options.seed,
    startedAt,
    secondsInAll: 0,
    machine: await describeMachine(),
    postgres: house.postgres.version,
    daemons: options.daemons,
    eventsPerSecond: options.rate,
    ...measured,
    bars,
    evidence: ok ? null : await keepEvidence(house, options),
  };
}

/** Traffic and faults, until everything is healed and the tills have said all they had to say. */
async function rage(house: ChaosHouse, { options, chance, say }: Run): Promise<{ tills: Tills; nemesis: Nemesis }> {
  const { rate, seconds } = options;
  const dueBy = (after: number): number => after * rate;
  const tills = new Tills({ brokers: house.broker.brokers, dueBy, seconds, chance: chance.fork('traffic') });
  for (const { slot } of house.posts) slot.up();
  await waitUntil(() => house.posts.every(({ slot }) => slot.isReady), { what: 'the daemons', timeoutMs: readyMsMax });
  say(
    `Kafka ${house.broker.version}, Postgres ${house.postgres.version}, the sandbox and ${options.daemons} daemons are ready`,
  );
  tills.open();
  const nemesis = new Nemesis({ house, chance: chance.fork('nemesis'), seconds, only: options.only, say });
  await nemesis.rage();
  await house.wallet.behave();
  say('everything is healed');
  await tills.close();
  return { tills, nemesis };
}

async function faultsReport(house: ChaosHouse, nemesis: Nemesis): Promise<FaultsReport> {
  const strikes = await house.wallet.strikes();
  return {
    ...nemesis.report(),
    partnerCalls: Object.fromEntries([...strikes].toSorted()),
    commitAnswersLost: [...house.posts, house.guest].reduce((sum, { postgres }) => sum + postgres.commitsLost, 0),
  };
}

/** @returns the folder with the logs of all processes and every table of both databases */
async function keepEvidence(house: ChaosHouse, options: ChaosOptions): Promise<string> {
  await dumpTables(house.postgres.url, `${house.folder}/truth`);
  await dumpTables(house.wallet.databaseUrl, `${house.folder}/wallet`);
  if (options.folder === null) return house.folder;
  await cp(house.folder, options.folder, { recursive: true });
  return options.folder;
}
