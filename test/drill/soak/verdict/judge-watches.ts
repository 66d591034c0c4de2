import { median, percentile } from '../../../bench/statistics.js';
import type { Injection } from '../rounds.js';
import type { Beat, MemorySample } from '../watches.js';

/** A circuit breaker stays open for up to 30 s, and looks before it lets anybody through. */
const troubleLastsMs = 45_000;

/** The partner itself stood in the way, or has only just stopped to. */
function isExcused({ at }: Beat, injections: readonly Injection[]): boolean {
  return injections.some(
    ({ kind, from, to }) => ['too-many', 'error'].includes(kind) && at >= from && at <= to + troubleLastsMs,
  );
}

function hasWork({ hasWork: isDue, acknowledged, ingested }: Beat): boolean {
  return isDue || acknowledged > ingested;
}

/** The longest time, in seconds, in which there was work all along and nothing reached the partner. */
export function longestStall(beats: readonly Beat[], injections: readonly Injection[]): number {
  let [longest, since] = [0, null as Beat | null];
  for (const beat of beats) {
    const goesOn = since !== null && beat.effects === since.effects && hasWork(beat) && !isExcused(beat, injections);
    if (goesOn && since !== null) longest = Math.max(longest, (beat.at - since.at) / 1_000);
    else since = beat;
  }
  return Math.round(longest * 10) / 10;
}

/** What a process, or a line of them, takes in the four quarters of a run; null: too little was seen. */
export interface Growth {
  readonly process: string;
  /** `age`: many short lives, each seen at the same age. `run`: one life, as long as the run. */
  readonly by: 'age' | 'run';
  readonly quarters: readonly (number | null)[];
  /** The last quarter by the second: in the first one a process still fills its pools and caches. */
  readonly ratio: number | null;
}

/** When processes that are restarted each minute are compared: they have compiled what they need, and all still live. */
const ageSeconds = { from: 15, to: 40 } as const;
const samplesMin = 5;
const livesMin = 3;

type Measure = 'mebibytes' | 'descriptors';

/**
 * What stands for a quarter of a long life. Memory rises until the next full collection, every three to five minutes: the
 * height that nine looks in ten stay below does not depend on where in that a quarter begins, its median does (by 13 %).
 * Descriptors come and go with the work: what leaks raises the floor.
 */
const standsForAll: Readonly<Record<Measure, number>> = { mebibytes: 0.9, descriptors: 0.1 };

interface Sampled {
  readonly process: string;
  readonly by: Growth['by'];
  /** A value and when it was seen, of which at least `min` a quarter tell something. */
  readonly values: readonly { readonly seconds: number; readonly value: number }[];
  readonly min: number;
  readonly standsFor: (values: readonly number[]) => number;
}

function growthOf({ process, by, values, min, standsFor }: Sampled, runSeconds: number): Growth {
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const from = (runSeconds / 4) * quarter;
    const own = values.filter(({ seconds }) => seconds >= from && seconds < from + runSeconds / 4);
    return own.length < min ? null : Math.round(standsFor(own.map(({ value }) => value)) * 10) / 10;
  });
  const [, second, , last] = quarters;
  const isKnown = second !== null && second !== undefined && last !== null && last !== undefined;
  return { process, by, quarters, ratio: isKnown ? Math.round((last / second) * 1_000) / 1_000 : null };
}

/** One value for each life that became old enough. */
function livesAtEqualAge(samples: readonly MemorySample[]): Sampled['values'] {
  const lives = [...Map.groupBy(samples, ({ pid }) => pid).values()];
  return lives.flatMap((life) => {
    const seen = life.filter((sample) => sample.ageSeconds >= ageSeconds.from && sample.ageSeconds < ageSeconds.to);
    const [first] = seen;
    if (first === undefined || seen.length < samplesMin) return [];
    return [{ seconds: first.seconds, value: median(seen.map(({ mebibytes }) => mebibytes)) }];
  });
}

function wholeLife(life: readonly MemorySample[], measure: Measure): Omit<Sampled, 'process'> {
  const values = life.map((sample) => ({ seconds: sample.seconds, value: sample[measure] }));
  const standsFor = (seen: readonly number[]): number => percentile(seen, standsForAll[measure]);
  return { by: 'run', values, min: samplesMin, standsFor };
}

/**
 * How much each process took over a run. Whoever lived from its beginning to its end is compared with itself; the others
 * are young all the time and their memory is compared at equal age, all of them together: that tells what the database,
 * the topics or the partner's passes make of a daemon that starts on them.
 */
export function judgeMemory(samples: readonly MemorySample[], runSeconds: number, measure: Measure): Growth[] {
  const during = samples.filter(({ seconds }) => seconds < runSeconds);
  const places = [...Map.groupBy(during, ({ process }) => process)];
  const isOneLife = (life: readonly MemorySample[]): boolean => new Set(life.map(({ pid }) => pid)).size === 1;
  const whole = places
    .filter(([, life]) => isOneLife(life))
    .map(([process, life]) => ({ process, ...wholeLife(life, measure) }));
  const short = places.filter(([, life]) => !isOneLife(life)).flatMap(([, life]) => life);
  const values = livesAtEqualAge(short);
  const young: Sampled = { process: 'restarted', by: 'age', values, min: livesMin, standsFor: median };
  const hasYoung = short.length > 0 && measure === 'mebibytes';
  return [...whole, ...(hasYoung ? [young] : [])].map((looked) => growthOf(looked, runSeconds));
}
