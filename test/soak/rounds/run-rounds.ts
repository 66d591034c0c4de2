import { setTimeout as delay } from 'node:timers/promises';

import type { SoakHouse } from '../installation/soak-house.js';
import type { Rounds } from '../options.js';
import { highWaveSeconds } from '../traffic/waves.js';
import type { Journal } from './journal.js';
import { changePrograms, spoilPrograms } from './reload.js';
import { restartAll, type RestartReport } from './restart.js';
import { rotateClientSecret, rotateOperatorToken } from './rotate.js';
import { troublePartner } from './trouble.js';

export interface RoundsOptions {
  readonly house: SoakHouse;
  readonly journal: Journal;
  readonly rounds: Rounds;
  readonly say: (text: string) => void;
}

/** The partner has trouble once in so many rounds, never in the first one. */
const troubleEvery = 3;

/** What happens in a run, minute by minute. What takes longer than a minute puts off the rest: nothing is left out. */
export async function runRounds(options: RoundsOptions): Promise<RestartReport[]> {
  const { rounds, say } = options;
  const reports: RestartReport[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < rounds.count; round += 1) {
    const beginsAt = startedAt + round * rounds.seconds * 1_000;
    await delay(Math.max(0, beginsAt - performance.now()));
    // The restarts meet the high wave; a short round has no time to wait for it.
    await delay(Math.min(highWaveSeconds, rounds.seconds / 4) * 1_000);
    reports.push(...(await oneRound(options, round)));
    say(`round ${round + 1} of ${rounds.count} is done`);
  }
  const endsAt = startedAt + rounds.count * rounds.seconds * 1_000;
  await delay(Math.max(0, endsAt - performance.now()));
  return reports;
}

async function oneRound({ house, journal, rounds }: RoundsOptions, round: number): Promise<RestartReport[]> {
  const reports = await restartAll(house.crew, round, journal);
  await journal.during('reload', null, () => changePrograms(house, round % 2 === 0));
  if (round === Math.min(1, rounds.count - 1)) await journal.during('invalid-file', null, () => spoilPrograms(house));
  await journal.during('client-secret', null, () => rotateClientSecret(house));
  await journal.during('operator-tokens', null, () => rotateOperatorToken(house));
  if (round % troubleEvery === troubleEvery - 1) await troublePartner(house, journal);
  return reports;
}
