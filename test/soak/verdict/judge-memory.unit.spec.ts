import type { MemorySample } from '../watch/memory-watch.js';
import { judgeMemory } from './judge-memory.js';

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
