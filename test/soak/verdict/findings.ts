import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Tills } from '../../chaos/traffic/tills.js';
import { awaitRest } from '../../chaos/verdict/at-rest.js';
import { audit } from '../../chaos/verdict/audit.js';
import { readFigures } from '../../chaos/verdict/figures.js';
import { fleetReport } from '../../chaos/verdict/fleet-report.js';
import { judgeHouse } from '../../chaos/verdict/judge-house.js';
import type { SoakHouse } from '../installation/soak-house.js';
import type { Rounds, SoakOptions } from '../options.js';
import type { SoakFindings } from '../report/soak-report.js';
import type { Journal } from '../rounds/journal.js';
import type { RestartReport } from '../rounds/restart.js';
import type { Watches } from '../watch/watches.js';
import { expectedLines } from './expected-lines.js';
import { judgeLines, type LinesReport } from './judge-lines.js';
import { judgeMemory } from './judge-memory.js';
import { connectionsOf, leftovers } from './leftovers.js';
import { type LogLine, readLines } from './log-line.js';
import { longestStall } from './longest-stall.js';
import { notInjected } from './not-injected.js';

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

async function linesOf({ slots, folder, wallet }: SoakHouse): Promise<LogLine[]> {
  const logs = slots.map(async ({ name }) =>
    readLines(name, await readFile(join(folder, `${name.replace(' ', '-')}.log`), 'utf8')),
  );
  return [...(await Promise.all(logs)).flat(), ...readLines('sandbox', wallet.complaints)];
}

async function linesReport(house: SoakHouse, { injections }: Journal): Promise<LinesReport> {
  return judgeLines(await linesOf(house), injections, expectedLines);
}

/** Waits until everything is at rest, stops the daemons, and reads all that the run has left. */
export async function findings(house: SoakHouse, ridden: Ridden): Promise<SoakFindings> {
  const { options, rounds, tills, watches, journal, restarts, say } = ridden;
  const runSeconds = watches.seconds;
  const rest = await awaitRest(house, say);
  say(rest.isAtRest ? `at rest after ${rest.seconds} s` : 'never at rest');
  const connectionsAtRest = await connectionsOf(house);
  await watches.stop();
  const ends = await journal.during('end', null, () => Promise.all(house.slots.map((slot) => slot.down())));
  say('judging');
  const truth = await readFigures(house.postgres.url);
  const { injections } = journal;
  return {
    minutes: options.minutes,
    rounds: rounds.count,
    daemons: options.daemons,
    kafka: { version: house.broker.version, origin: house.broker.origin, isReal: house.broker.real !== null },
    injected: journal.counts(),
    restarts,
    fleet: fleetReport(house.slots, ends),
    events: tills.report(),
    rest,
    longestStall: longestStall(watches.beats, injections),
    looksFailed: watches.failures,
    connectionsAtRest,
    leftovers: await leftovers(house),
    memory: judgeMemory(watches.samples, runSeconds, 'mebibytes'),
    descriptors: judgeMemory(watches.samples, runSeconds, 'descriptors'),
    lines: await linesReport(house, journal),
    truth,
    notInjected: await notInjected(house.postgres.url, injections),
    audit: await audit(tills.owed, { truth: house.postgres.url, wallet: house.wallet.databaseUrl }),
    verdict: await judgeHouse(house, {
      isAtRest: rest.isAtRest,
      isStopped: ends.every((end) => end?.code === 0),
      replicas: house.slots.length,
      faults: journal.counts(),
      watch: watches.lanes,
      secrets: house.secrets.all,
    }),
  };
}
