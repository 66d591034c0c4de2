import { setTimeout as delay } from 'node:timers/promises';

import type { ProgramsStatus } from '#contracts';
import { waitUntil } from '#embedded';

import type { DaemonSlot } from '../installation/daemon-slot.js';
import type { Rounds } from './options.js';
import type { SoakHarness } from './soak-harness.js';
import { highWaveSeconds } from './waves.js';

/** What is done to a run. */
export type InjectionKind =
  'restart' | 'reload' | 'invalid-file' | 'client-secret' | 'operator-tokens' | 'too-many' | 'error' | 'end';

export interface Injection {
  readonly kind: InjectionKind;
  /** The one process that it was done to; null: all of them. */
  readonly process: string | null;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Who did what to whom, and when: what a log line is held against. */
export class Journal {
  readonly injections: Injection[] = [];

  /** Writes down that the work was done, even where it failed. */
  async during<Result>(kind: InjectionKind, process: string | null, work: () => Promise<Result>): Promise<Result> {
    const from = Date.now();
    try {
      return await work();
    } finally {
      this.injections.push({ kind, process, from, to: Date.now() });
    }
  }

  counts(): Readonly<Record<string, number>> {
    const groups = Map.groupBy(this.injections, ({ kind }) => kind);
    return Object.fromEntries([...groups].map(([kind, group]): [string, number] => [kind, group.length]).toSorted());
  }
}

const agreeMsMax = 120_000;

function ask(slot: DaemonSlot, token: string): Promise<Response> {
  return fetch(`${slot.address ?? ''}/api/v1/reload`, { headers: { authorization: `Bearer ${token}` } });
}

/** Whether that daemon's operations API lets an operator of that token in. */
async function mayEnter(slot: DaemonSlot, token: string): Promise<boolean> {
  const response = await ask(slot, token);
  await response.body?.cancel();
  return response.ok;
}

/** Asks the veteran's operations API. @returns null where it did not answer 200 */
async function standing({ veteran, secrets }: SoakHarness): Promise<ProgramsStatus | null> {
  const response = await ask(veteran, secrets.operatorToken);
  if (response.ok) return (await response.json()) as ProgramsStatus;
  await response.body?.cancel();
  return null;
}

/** Which programs file all processes work by; null while they do not agree, or not all of them have reported. */
async function agreed(harness: SoakHarness): Promise<string | null> {
  const found = await standing(harness);
  const alive = found?.processes.filter((process) => process.alive) ?? [];
  const [first] = alive;
  const isAgreed = alive.length === harness.slots.length && alive.every(({ hash }) => hash === first?.hash);
  return isAgreed ? (first?.hash ?? null) : null;
}

/** @returns the hash of the file that all processes work by, once that is another than `before` */
async function awaitAgreement(harness: SoakHarness, before: string | null = null): Promise<string> {
  const what = 'all processes to work by the same programs file';
  return waitUntil(
    async () => {
      const hash = await agreed(harness);
      return hash === before ? null : hash;
    },
    { what, timeoutMs: agreeMsMax, intervalMs: 250 },
  );
}

const reportedMsMax = 180_000;

/** Does something to all daemons, and waits until each has logged the text once more. */
async function untilAllReport(slots: readonly DaemonSlot[], text: string, work: () => Promise<void>): Promise<void> {
  const before = slots.map((slot) => slot.timesLogged(text));
  await work();
  const haveReported = (): boolean => slots.every((slot, index) => slot.timesLogged(text) > (before[index] ?? 0));
  await waitUntil(haveReported, { what: `every daemon to log: ${text}`, timeoutMs: reportedMsMax, intervalMs: 250 });
}

const refusedText = 'programs file not taken over';
const readText = 'programs file read again';

/** Another edition of the file, told by a signal or left to be noticed; done when all processes work by it. */
async function changePrograms(harness: SoakHarness, isSignalled: boolean): Promise<void> {
  const before = await awaitAgreement(harness);
  await harness.programs.change();
  if (isSignalled) for (const slot of harness.slots) slot.hangUp();
  await awaitAgreement(harness, before);
}

/** A file that is wrong: everybody says so and goes on by the old one; then it is put right. */
async function spoilPrograms(harness: SoakHarness): Promise<void> {
  const { slots, programs } = harness;
  const before = await awaitAgreement(harness);
  await untilAllReport(slots, refusedText, async () => {
    await programs.spoil();
    for (const slot of slots) slot.hangUp();
  });
  await untilAllReport(slots, readText, async () => {
    await programs.restore();
    for (const slot of slots) slot.hangUp();
  });
  const after = await awaitAgreement(harness);
  if (after !== before) throw new Error('a programs file that is wrong was taken over');
}

const obtainedText = 'partner token obtained';
/** In the line that says which files were read again. */
const [clientSecretText, operatorTokensText] = ['"WALLET_CLIENT_SECRET_FILE"', '"OPS_TOKENS_FILE"'];

/** The partner gives us another secret and takes no token of the old one; done when every daemon has a new token. */
async function rotateClientSecret({ wallet, secrets, slots }: SoakHarness): Promise<void> {
  const rotate = async (): Promise<void> => wallet.rotateSecret(await secrets.renewClientSecret());
  await untilAllReport(slots, obtainedText, () => untilAllReport(slots, clientSecretText, rotate));
}

/** The operators' tokens are replaced; done when every daemon has heard of it. Who has the old one is not let in. */
async function rotateOperatorToken(harness: SoakHarness): Promise<void> {
  const { secrets, slots } = harness;
  const old = secrets.operatorToken;
  await untilAllReport(slots, operatorTokensText, () => secrets.renewOperatorToken());
  const entries = await Promise.all(
    slots.flatMap((slot) => [mayEnter(slot, secrets.operatorToken), mayEnter(slot, old)]),
  );
  if (entries.some((isLetIn, index) => isLetIn !== (index % 2 === 0))) {
    throw new Error(`an operator's new token must be let in and the old one not: ${entries.join(', ')}`);
  }
}

/** One daemon's SIGTERM, end and next start. */
export interface RestartReport {
  readonly process: string;
  readonly round: number;
  /** From SIGTERM to the end of the process. */
  readonly drainMs: number;
  /** From there until another one said that it is ready. */
  readonly readyMs: number;
  /** Its exit code; the signal, where it was killed. */
  readonly end: string;
}

const readyMsMax = 120_000;

async function restartOne(slot: DaemonSlot, round: number): Promise<RestartReport> {
  const startedAt = performance.now();
  await slot.restart();
  const endedAt = performance.now();
  await waitUntil(() => slot.isReady, { what: `${slot.name} to be ready again`, timeoutMs: readyMsMax });
  const end = slot.lives.at(-1)?.end;
  return {
    process: slot.name,
    round,
    drainMs: Math.round(endedAt - startedAt),
    readyMs: Math.round(performance.now() - endedAt),
    end: String(end?.code ?? end?.signal ?? 'unknown'),
  };
}

/** One after the other, each waited for, as a rolling update does it. */
async function restartAll(crew: readonly DaemonSlot[], round: number, journal: Journal): Promise<RestartReport[]> {
  const reports: RestartReport[] = [];
  for (const slot of crew) {
    reports.push(await journal.during('restart', slot.name, () => restartOne(slot, round)));
  }
  return reports;
}

const tooManyMs = 4_000;
const errorMs = 3_000;
const settleMs = 1_000;

/** The partner wants rest, then it answers nothing but 503, then it is well. */
async function troublePartner({ wallet }: SoakHarness, journal: Journal): Promise<void> {
  await journal.during('too-many', null, async () => {
    const heal = await wallet.misbehave([{ operation: '*', kind: 'too-many', retryAfter: 1, probability: 1 }]);
    await delay(tooManyMs);
    await heal();
  });
  await delay(settleMs);
  await journal.during('error', null, async () => {
    const heal = await wallet.misbehave([{ operation: '*', kind: 'error-before', status: 503, probability: 1 }]);
    await delay(errorMs);
    await heal();
  });
}

interface RoundsOptions {
  readonly harness: SoakHarness;
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

async function oneRound({ harness, journal, rounds }: RoundsOptions, round: number): Promise<RestartReport[]> {
  const reports = await restartAll(harness.crew, round, journal);
  await journal.during('reload', null, () => changePrograms(harness, round % 2 === 0));
  if (round === Math.min(1, rounds.count - 1)) await journal.during('invalid-file', null, () => spoilPrograms(harness));
  await journal.during('client-secret', null, () => rotateClientSecret(harness));
  await journal.during('operator-tokens', null, () => rotateOperatorToken(harness));
  if (round % troubleEvery === troubleEvery - 1) await troublePartner(harness, journal);
  return reports;
}
