import { median } from '../../bench/statistics.js';
import type { RestartReport } from '../rounds/restart.js';
import type { MemorySample } from '../watch/memory-watch.js';
import type { Beat } from '../watch/pulse.js';

/** One minute, or one round, of a run. */
export interface MinuteReport {
  /** Records acknowledged. */
  readonly events: number;
  /** New entries of the partner's ledger. */
  readonly delivered: number;
  /** Records not consumed and intents not settled: the most that was seen. */
  readonly backlogMax: number;
  /** Resident memory by process, MiB, medians. */
  readonly memory: Readonly<Record<string, number>>;
  readonly drainMsMax: number;
  readonly readyMsMax: number;
}

export interface Seen {
  readonly beats: readonly Beat[];
  readonly samples: readonly MemorySample[];
  readonly restarts: readonly RestartReport[];
}

interface Span {
  readonly round: number;
  readonly seconds: number;
}

function isIn({ round, seconds }: Span): (item: { readonly seconds: number }) => boolean {
  return (item) => Math.floor(item.seconds / seconds) === round;
}

function memoryOf(samples: readonly MemorySample[]): Record<string, number> {
  const byProcess = Map.groupBy(samples, ({ process }) => process);
  return Object.fromEntries(
    [...byProcess].map(([process, own]) => [process, Math.round(median(own.map(({ mebibytes }) => mebibytes)))]),
  );
}

/** How much a count rose from the last look before the span to the last one in it. */
function risen(beats: readonly Beat[], span: Span, count: (beat: Beat) => number): number {
  const before = beats.findLast(({ seconds }) => seconds < span.round * span.seconds);
  const last = beats.findLast(isIn(span));
  return last === undefined ? 0 : count(last) - (before === undefined ? 0 : count(before));
}

function minute({ beats, samples, restarts }: Seen, span: Span): MinuteReport {
  const restarted = restarts.filter(({ round }) => round === span.round);
  const backlog = ({ acknowledged, ingested, pending }: Beat): number => acknowledged - ingested + pending;
  return {
    events: risen(beats, span, ({ acknowledged }) => acknowledged),
    delivered: risen(beats, span, ({ effects }) => effects),
    backlogMax: Math.max(0, ...beats.filter(isIn(span)).map(backlog)),
    memory: memoryOf(samples.filter(isIn(span))),
    drainMsMax: Math.max(0, ...restarted.map(({ drainMs }) => drainMs)),
    readyMsMax: Math.max(0, ...restarted.map(({ readyMs }) => readyMs)),
  };
}

/** A run, minute by minute. Rounds that took longer than their time show their restarts where they were meant to be. */
export function minutesOf(seen: Seen, roundSeconds: number): MinuteReport[] {
  const rounds = Math.ceil((seen.beats.at(-1)?.seconds ?? 0) / roundSeconds);
  return Array.from({ length: rounds }, (_, round) => minute(seen, { round, seconds: roundSeconds }));
}
