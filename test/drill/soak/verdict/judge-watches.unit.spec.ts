import type { Beat, MemorySample } from '../watches.js';
import { judgeMemory, longestStall } from './judge-watches.js';

/** One a second; `effects` of each, and whether there was work. */
function beats(effects: readonly number[], hasWork = true): Beat[] {
  return effects.map((count, index) => {
    const at = index * 1_000;
    return { at, seconds: index, acknowledged: 9, ingested: 9, effects: count, pending: 1, hasWork };
  });
}

describe('the longest stall', () => {
  it('is the longest time without an effect while there was work', () => {
    expect(longestStall(beats([1, 2, 2, 2, 3, 3, 4]), [])).toBe(2);
    expect(longestStall(beats([1, 2, 3]), [])).toBe(0);
  });

  it('is none where nothing was to be done', () => {
    expect(longestStall(beats([1, 1, 1, 1], false), [])).toBe(0);
  });

  it('counts records that wait for ingest as work', () => {
    const waiting = beats([1, 1, 1, 1], false).map((beat) => ({ ...beat, ingested: 8 }));
    expect(longestStall(waiting, [])).toBe(3);
  });

  it('does not count what the partner was told to do, nor the breaker after it', () => {
    const trouble = { kind: 'error', process: null, from: 1_000, to: 3_000 } as const;
    expect(longestStall(beats(Array.from({ length: 40 }, () => 1)), [trouble])).toBe(0);
    expect(longestStall(beats(Array.from({ length: 60 }, () => 1)), [trouble])).toBe(11);
    expect(longestStall(beats([1, 1, 1]), [{ ...trouble, kind: 'restart' }])).toBe(2);
  });
});

const runSeconds = 1_200;

/** Seen every second. */
function life(process: string, mebibytesAt: (seconds: number) => number): MemorySample[] {
  return Array.from({ length: runSeconds }, (_, seconds) => {
    const mebibytes = mebibytesAt(seconds);
    return { process, pid: 1, seconds, ageSeconds: seconds, mebibytes, descriptors: 40 };
  });
}

/** A new process every minute, which grows while it warms up. */
function lives(process: string, mebibytesAt: (age: number, life: number) => number): MemorySample[] {
  return Array.from({ length: runSeconds }, (_, seconds) => {
    const [number, ageSeconds] = [Math.floor(seconds / 60), seconds % 60];
    const mebibytes = mebibytesAt(ageSeconds, number);
    return { process, pid: 100 + number, seconds, ageSeconds, mebibytes, descriptors: 30 + number };
  });
}

function ratioOf(samples: readonly MemorySample[]): number | null | undefined {
  return judgeMemory(samples, runSeconds, 'mebibytes')[0]?.ratio;
}

describe('the memory of a run', () => {
  it('is flat where a process fills its pools first and collects its garbage now and then', () => {
    const sawtooth = (seconds: number): number => 100 + Math.min(60, seconds / 4) + (seconds % 97) / 4;
    expect(ratioOf(life('veteran', sawtooth))).toBeLessThan(1.02);
  });

  it('grows where it leaks, slowly or fast', () => {
    expect(ratioOf(life('veteran', (seconds) => 150 + seconds / 20))).toBeGreaterThan(1.1);
    expect(ratioOf(life('veteran', (seconds) => 150 + seconds))).toBeGreaterThan(1.5);
  });

  it('is told at equal age where processes live for a minute only', () => {
    const warmingUp = (age: number): number => 80 + Math.min(40, age * 2);
    const [growth] = judgeMemory(lives('daemon 1', warmingUp), runSeconds, 'mebibytes');
    expect(growth).toEqual({ process: 'restarted', by: 'age', quarters: [120, 120, 120, 120], ratio: 1 });
    expect(ratioOf(lives('daemon 1', (age, number) => warmingUp(age) + number * 3))).toBeGreaterThan(1.1);
  });

  it('does not depend on where between two collections a quarter begins', () => {
    // Much as measured: up to 240 MiB, down to 205, every few minutes.
    const ratios = Array.from({ length: 29 }, (_, shift) =>
      ratioOf(life('veteran', (seconds) => 205 + (((seconds + shift * 10) % 290) / 290) * 35)),
    );
    expect(Math.max(...ratios.map(Number))).toBeLessThan(1.03);
  });

  it('tells descriptors of long lives by their floor: the work comes and goes', () => {
    const descriptors = (count: (seconds: number) => number): MemorySample[] =>
      life('veteran', () => 1).map((sample) => ({ ...sample, descriptors: count(sample.seconds) }));
    const told = (samples: MemorySample[]): unknown =>
      judgeMemory([...samples, ...lives('daemon 1', () => 1)], runSeconds, 'descriptors').map(({ ratio }) => ratio);
    expect(told(descriptors((seconds) => (seconds > 900 && seconds % 2 === 0 ? 200 : 50)))).toEqual([1]);
    expect(told(descriptors((seconds) => 50 + Math.floor(seconds / 20)))).toEqual([1.455]);
  });

  it('says that it does not know where it has seen too little', () => {
    const short = lives('daemon 1', () => 100).filter(({ seconds }) => seconds < 180);
    expect(judgeMemory(short, 180, 'mebibytes')[0]?.ratio).toBeNull();
    expect(judgeMemory([], runSeconds, 'mebibytes')).toEqual([]);
  });
});
