import { waitUntil } from '#embedded';

import type { DaemonSlot } from '../../chaos/installation/daemon-slot.js';
import type { Journal } from './journal.js';

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
export async function restartAll(
  crew: readonly DaemonSlot[],
  round: number,
  journal: Journal,
): Promise<RestartReport[]> {
  const reports: RestartReport[] = [];
  for (const slot of crew) {
    reports.push(await journal.during('restart', slot.name, () => restartOne(slot, round)));
  }
  return reports;
}
