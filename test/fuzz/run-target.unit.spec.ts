import { Chance } from '#shop';

import { Finding, mustHold, type FuzzTarget } from './fuzz-target.js';
import { mutateBytes, mutateJson } from './mutate.js';
import { crashOf, crashText, runTarget } from './run-target.js';

/** Reads its own kind of text, and has a mistake deep in it: three of its parts must come together. */
const plantedTarget: FuzzTarget = {
  name: 'planted',
  samples: [Buffer.from('{"kind":"sale","amount":12,"currency":"EUR"}')],
  make: (chance, pool) => mutateBytes(chance.pick(pool), chance, ['"refund"', '-1', '"XXX"']),
  judge: (input) => {
    const text = input.toString('latin1');
    const parts = [text.includes('"refund"'), text.includes('-1'), text.includes('"XXX"')];
    if (parts.every(Boolean)) throw new TypeError('cannot read properties of undefined');
    return parts.join(' ');
  },
};

const limits = { seed: 7, inputsMax: 4_000, msMax: 60_000 };

describe('a run over one target', () => {
  it('finds a planted mistake, cuts its input down, and repeats it', async () => {
    const { crashes, inputs } = await runTarget(plantedTarget, limits);
    expect(inputs).toBe(limits.inputsMax);
    expect(crashes).toHaveLength(1);
    const [crash] = crashes;
    expect(crash?.what).toBe('TypeError: cannot read properties of undefined');
    expect(crash?.input.length).toBeLessThan(crash?.found.length ?? 0);
    const text = crashText(crash!);
    const repeated = Buffer.from(/--repeat (\S+)/.exec(text)?.[1] ?? '', 'base64');
    expect(await crashOf(plantedTarget, repeated)).toBe(crash?.what);
    expect(text).toContain('--only planted');
  });

  it('makes the same inputs of the same seed, and others of another', async () => {
    const inputsOf = async (seed: number): Promise<string[]> => {
      const seen: string[] = [];
      const onInput = (input: Buffer): void => void seen.push(input.toString('base64'));
      await runTarget(plantedTarget, { ...limits, seed, inputsMax: 300, onInput });
      return seen;
    };
    const first = await inputsOf(1);
    expect(await inputsOf(1)).toEqual(first);
    expect(await inputsOf(2)).not.toEqual(first);
  });

  it('begins with what was kept, and hands on of which something new came', async () => {
    const kept = Buffer.from('"refund" -1');
    const seen: Buffer[] = [];
    const run = await runTarget(plantedTarget, {
      ...limits,
      corpus: [kept],
      inputsMax: 2_000,
      onInput: (input) => void seen.push(input),
    });
    expect(seen[1]).toBe(kept);
    expect(run.kinds).toContain('true true false');
    expect(run.ofInterest).not.toContain(kept);
    expect(run.ofInterest.length).toBeGreaterThan(0);
  });

  it('takes for a mistake what takes too long', async () => {
    const slow: FuzzTarget = {
      ...plantedTarget,
      cpuMsMax: 20,
      judge: () => {
        const before = process.threadCpuUsage();
        while (process.threadCpuUsage(before).user < 30_000);
        return 'at last';
      },
    };
    expect(await crashOf(slow, Buffer.from('x'))).toMatch(/^it took \d+ ms of a processor$/);
  });

  it('ends at its limits', async () => {
    const failing: FuzzTarget = {
      ...plantedTarget,
      judge: (input) => {
        throw new Finding(input.toString('hex').replace(/\d/g, ''));
      },
    };
    expect((await runTarget(failing, limits)).crashes).toHaveLength(20);
    const { inputs } = await runTarget(plantedTarget, { ...limits, msMax: 0 });
    expect(inputs).toBe(0);
  });
});

describe('what is changed', () => {
  it('stays JSON, and leaves what it was made of as it was', () => {
    const value = { a: [1, { b: 'x' }], c: null };
    const before = JSON.stringify(value);
    const texts = Array.from({ length: 200 }, (_, index) =>
      JSON.stringify(mutateJson(value, new Chance(index), ['b'])),
    );
    expect(new Set(texts).size).toBeGreaterThan(100);
    expect(JSON.stringify(value)).toBe(before);
  });

  it('says what does not hold', () => {
    expect(() => {
      mustHold(false, 'an offset is passed over', { offset: 3 });
    }).toThrow(new Finding('an offset is passed over: {"offset":3}'));
  });
});
