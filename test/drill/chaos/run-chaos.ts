import { cp } from 'node:fs/promises';

import { waitUntil } from '#embedded';

import { describeMachine } from '../../support/process/program.js';
import { Chance } from '#shop';
import type { ChaosHarness } from '../installation/chaos-harness.js';
import { openChaosHarness, removeFolder } from '../installation/chaos-harness.js';
import { Nemesis } from '../faults/nemesis.js';
import type { ChaosOptions } from './options.js';
import { commandOf } from './options.js';
import type { ChaosReport, FaultsReport } from './report.js';
import { Operators } from '../traffic/operators.js';
import { Tills } from '../traffic/tills.js';
import type { RestReport } from '../verdict/at-rest.js';
import { awaitRest } from '../verdict/at-rest.js';
import { audit, fleetReport, readFigures } from '../verdict/audit.js';
import { barsOf } from '../verdict/bars.js';
import { judgeHarness, Watch } from '../verdict/judge-run.js';
import { dumpTables } from '../verdict/dump-tables.js';

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
  const harness = await openChaosHarness({
    daemons: options.daemons,
    requestsPerSecond,
    chance: chance.fork('harness'),
    say,
  });
  let keepsFolder = true;
  try {
    const report = await runIn(harness, { options, chance, say });
    keepsFolder = report.evidence === harness.folder;
    return { ...report, secondsInAll: (performance.now() - startedAt) / 1_000 };
  } finally {
    await harness.close();
    if (!keepsFolder) await removeFolder(harness);
  }
}

async function runIn(harness: ChaosHarness, run: Run): Promise<ChaosReport> {
  const { options, say } = run;
  const startedAt = new Date().toISOString();
  const watch = new Watch(harness);
  const { tills, nemesis, operators, drained } = await rageAndRest(harness, run).finally(() => watch.stop());
  say(drained.isAtRest ? `at rest after ${drained.seconds} s` : 'never at rest');
  await operators.finish();
  const rest = { ...drained, isAtRest: drained.isAtRest && (await awaitRest(harness, say)).isAtRest };
  const ends = await Promise.all(harness.posts.map(({ slot }) => slot.down()));
  say('judging');
  const faults = await faultsReport(harness, nemesis);
  const measured = {
    seconds: options.seconds,
    kafka: { version: harness.broker.version, origin: harness.broker.origin, isReal: harness.broker.real !== null },
    faults,
    events: tills.report(),
    operators: operators.report(),
    truth: await readFigures(harness.postgres.url),
    fleet: fleetReport(
      [...harness.posts, harness.guest].map(({ slot }) => slot),
      ends,
    ),
    rest,
    audit: await audit(tills.told, { truth: harness.postgres.url, wallet: harness.wallet.databaseUrl }),
    verdict: await judgeHarness(harness, {
      isAtRest: rest.isAtRest,
      isStopped: ends.every((end) => end?.code === 0),
      replicas: options.daemons + 1,
      faults: { ...faults.begun, ...faults.partnerCalls },
      spoiled: faults.partnerCalls,
      operators: operators.acts,
      meantBy: (value) => tills.meantByReceipt(value),
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
    postgres: harness.postgres.version,
    daemons: options.daemons,
    eventsPerSecond: options.rate,
    ...measured,
    bars,
    evidence: ok ? null : await keepEvidence(harness, options),
  };
}

interface Raged {
  readonly tills: Tills;
  readonly nemesis: Nemesis;
  readonly operators: Operators;
}

/** Until everything is read and done, or it is given up. */
async function rageAndRest(harness: ChaosHarness, run: Run): Promise<Raged & { readonly drained: RestReport }> {
  const raged = await rage(harness, run);
  return { ...raged, drained: await awaitRest(harness, run.say) };
}

/** Traffic and faults, until everything is healed and the tills have said all they had to say. */
async function rage(harness: ChaosHarness, { options, chance, say }: Run): Promise<Raged> {
  const { rate, seconds } = options;
  const dueBy = (after: number): number => after * rate;
  const { broker, wallet } = harness;
  const { hasMarkets } = harness;
  const tills = new Tills({
    brokers: broker.brokers,
    wallet,
    dueBy,
    seconds,
    hasMarkets,
    chance: chance.fork('traffic'),
  });
  for (const { slot } of harness.posts) slot.up();
  await waitUntil(() => harness.posts.every(({ slot }) => slot.isReady), {
    what: 'the daemons',
    timeoutMs: readyMsMax,
  });
  say(
    `Kafka ${harness.broker.version}, Postgres ${harness.postgres.version}, the sandbox and ${options.daemons} daemons are ready`,
  );
  const operators = new Operators(harness, (eventId) => tills.meantBy(eventId));
  tills.open();
  operators.open();
  const nemesis = new Nemesis({ harness, chance: chance.fork('nemesis'), seconds, only: options.only, say });
  await nemesis.rage();
  await harness.wallet.behave();
  say('everything is healed');
  await tills.close();
  await operators.pause();
  return { tills, nemesis, operators };
}

async function faultsReport(harness: ChaosHarness, nemesis: Nemesis): Promise<FaultsReport> {
  const strikes = await harness.wallet.strikes();
  return {
    ...nemesis.report(),
    partnerCalls: Object.fromEntries([...strikes].toSorted()),
    commitAnswersLost: [...harness.posts, harness.guest].reduce((sum, { postgres }) => sum + postgres.commitsLost, 0),
  };
}

/** @returns the folder with the logs of all processes and every table of both databases */
async function keepEvidence(harness: ChaosHarness, options: ChaosOptions): Promise<string> {
  await dumpTables(harness.postgres.url, `${harness.folder}/truth`);
  await dumpTables(harness.wallet.databaseUrl, `${harness.folder}/wallet`);
  if (options.folder === null) return harness.folder;
  await cp(harness.folder, options.folder, { recursive: true });
  return options.folder;
}
