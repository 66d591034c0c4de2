import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Tills } from '../../traffic/tills.js';
import { awaitRest } from '../../verdict/at-rest.js';
import { audit, fleetReport, readFigures } from '../../verdict/audit.js';
import { judgeHarness } from '../../verdict/judge-run.js';
import type { Rounds, SoakOptions } from '../options.js';
import type { SoakFindings } from '../report.js';
import type { Journal, RestartReport } from '../rounds.js';
import type { SoakHarness } from '../soak-harness.js';
import type { Watches } from '../watches.js';
import type { LinesReport, LogLine } from './judge-lines.js';
import { expectedLines, judgeLines, readLines } from './judge-lines.js';
import { judgeMemory, longestStall } from './judge-watches.js';
import { connectionsOf, leftovers, notInjected } from './leftovers.js';

/** A run whose traffic is over. */
interface Ridden {
  readonly options: SoakOptions;
  readonly rounds: Rounds;
  readonly tills: Tills;
  readonly watches: Watches;
  readonly journal: Journal;
  readonly restarts: readonly RestartReport[];
  readonly say: (text: string) => void;
}

async function linesOf({ slots, folder, wallet }: SoakHarness): Promise<LogLine[]> {
  const logs = slots.map(async ({ name }) =>
    readLines(name, await readFile(join(folder, `${name.replace(' ', '-')}.log`), 'utf8')),
  );
  return [...(await Promise.all(logs)).flat(), ...readLines('sandbox', wallet.complaints)];
}

async function linesReport(harness: SoakHarness, { injections }: Journal): Promise<LinesReport> {
  return judgeLines(await linesOf(harness), injections, expectedLines);
}

/** Waits until everything is at rest, stops the daemons, and reads all that the run has left. */
export async function findings(harness: SoakHarness, ridden: Ridden): Promise<SoakFindings> {
  const { options, rounds, tills, watches, journal, restarts, say } = ridden;
  const runSeconds = watches.seconds;
  const rest = await awaitRest(harness, say);
  say(rest.isAtRest ? `at rest after ${rest.seconds} s` : 'never at rest');
  const connectionsAtRest = await connectionsOf(harness);
  await watches.stop();
  const ends = await journal.during('end', null, () => Promise.all(harness.slots.map((slot) => slot.down())));
  say('judging');
  const truth = await readFigures(harness.postgres.url);
  const { injections } = journal;
  return {
    minutes: options.minutes,
    rounds: rounds.count,
    daemons: options.daemons,
    kafka: { version: harness.broker.version, origin: harness.broker.origin, isReal: harness.broker.real !== null },
    injected: journal.counts(),
    restarts,
    fleet: fleetReport(harness.slots, ends),
    events: tills.report(),
    rest,
    longestStall: longestStall(watches.beats, injections),
    looksFailed: watches.failures,
    connectionsAtRest,
    leftovers: await leftovers(harness),
    memory: judgeMemory(watches.samples, runSeconds, 'mebibytes'),
    descriptors: judgeMemory(watches.samples, runSeconds, 'descriptors'),
    lines: await linesReport(harness, journal),
    truth,
    notInjected: await notInjected(harness.postgres.url, injections),
    audit: await audit(tills.told, { truth: harness.postgres.url, wallet: harness.wallet.databaseUrl }),
    verdict: await judgeHarness(harness, {
      isAtRest: rest.isAtRest,
      isStopped: ends.every((end) => end?.code === 0),
      replicas: harness.slots.length,
      faults: journal.counts(),
      spoiled: {},
      watch: watches.lanes,
      secrets: harness.secrets.all,
    }),
  };
}
