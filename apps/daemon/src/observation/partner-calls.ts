import type { AttemptObservation, Observation } from '#outbox';
import type { CallCounts } from '#intents';
import { callBucket, callBucketsMax } from '#intents';

import { codeLabel } from '../metrics/label-sets.js';

/** Calls are counted for so long, and up to one slice longer. */
export const callsToldMs = 60_000;
const sliceMs = 5_000;
const slicesKept = callsToldMs / sliceMs + 1;

/** Attempts that ended before there was a call say nothing of the partner. */
export function isCall(observation: Observation): observation is AttemptObservation {
  return observation.kind === 'attempt' && codeLabel(observation.code) !== null;
}

/** The calls of some seconds. */
interface Slice {
  readonly index: number;
  readonly counts: Uint32Array;
}

/**
 * How long the partner took for the calls of the last minute, by program: a fixed number of counts for each program that
 * called it lately, however many calls there are.
 */
export class PartnerCalls {
  private readonly byProgram = new Map<string, Slice[]>();

  /** @param now monotonic ms */
  observe(observation: Observation, now: number): void {
    if (!isCall(observation)) return;
    const { counts } = this.sliceOf(observation.program, Math.floor(now / sliceMs));
    const bucket = callBucket(observation.durationMs);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }

  /** By program; those without a call are absent. @param now monotonic ms */
  countsAt(now: number): ReadonlyMap<string, CallCounts> {
    const newest = Math.floor(now / sliceMs);
    for (const [program, slices] of this.byProgram) {
      const kept = slices.filter(({ index }) => index > newest - slicesKept);
      if (kept.length > 0) this.byProgram.set(program, kept);
      else this.byProgram.delete(program);
    }
    return new Map([...this.byProgram].map(([program, slices]) => [program, summed(slices)]));
  }

  private sliceOf(program: string, index: number): Slice {
    const slices = this.byProgram.get(program) ?? [];
    const last = slices.at(-1);
    if (last?.index === index) return last;
    const slice = { index, counts: new Uint32Array(callBucketsMax) };
    this.byProgram.set(program, [...slices.slice(1 - slicesKept), slice]);
    return slice;
  }
}

function summed(slices: readonly Slice[]): CallCounts {
  const sum: Record<string, number> = {};
  for (let bucket = 0; bucket < callBucketsMax; bucket += 1) {
    const calls = slices.reduce((total, { counts }) => total + (counts[bucket] ?? 0), 0);
    if (calls > 0) sum[String(bucket)] = calls;
  }
  return sum;
}
