import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { startProcess } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { compileLoyaltyd, loyaltydPath } from './loyaltyd.js';

/** The bar of design.md section 11, for a machine that has nothing else to do. */
const readyMsMax = 2_000;
const runs = 3;
const roundsMax = 3;
/** How long Node takes to start and end where the bar was measured. */
const bareNodeIdleMs = 35;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Infinity;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** The compiled daemon, all roles, on real infrastructure, as an operator starts it. */
describe('a start with the schema in place', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
    await compileLoyaltyd();
  }, 300_000);

  afterAll(async () => {
    await harness.close();
  }, 60_000);

  const untilReady = async (): Promise<number> => {
    const since = performance.now();
    const daemon = await startProcess({
      command: process.execPath,
      args: [loyaltydPath, 'start'],
      env: harness.environment,
    });
    const readyMs = performance.now() - since;
    await daemon.stop();
    return readyMs;
  };

  it('is ready within 2 s', async () => {
    await untilReady();
    let best = Infinity;
    // What else the machine does may meet a start more than the bare Node: the best of a few rounds.
    for (let round = 0; round < roundsMax && best >= readyMsMax; round += 1) {
      const starts: number[] = [];
      const bare: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        bare.push(await timed(() => promisify(execFile)(process.execPath, ['-e', '0'])));
        starts.push(await untilReady());
      }
      const [started, node] = [median(starts), median(bare)];
      process.stderr.write(
        `ready after ${Math.round(started)} ms (median of ${runs}; bare Node ${Math.round(node)} ms)\n`,
      );
      best = Math.min(best, started * Math.min(1, bareNodeIdleMs / node));
    }
    expect(best).toBeLessThan(readyMsMax);
  }, 180_000);
});
