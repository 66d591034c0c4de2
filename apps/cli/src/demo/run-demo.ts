import { describeHouse } from '../dev/describe-house.js';
import type { House } from '../house/house.js';
import { startHouse } from '../house/house.js';
import type { ProgramsProfile } from '../house/programs-text.js';
import { stopRequest } from '../house/stop-request.js';
import type { DemoOptions } from './demo-options.js';
import { runForever } from './run/run-forever.js';
import { runOnce } from './run/run-once.js';

/** Short, so that a run ends soon; nothing else differs from a real one. */
const demoProfile = { inFlightMs: 3_000, missingPassWaitMs: 5_000 } as const satisfies ProgramsProfile;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Starts the house, lets traffic through it, and stops it again. @returns the exit code */
export async function runDemo(options: DemoOptions): Promise<number> {
  const stopping = new AbortController();
  void stopRequest().then((signal) => {
    stopping.abort(new Error(`stopped by ${signal}`));
  });
  const { inFlightMs, missingPassWaitMs } = demoProfile;
  say(`demo profile: inFlightMs ${inFlightMs}, missingPass.waitMs ${missingPassWaitMs}`);
  const house = await startHouse({
    dataFolder: null,
    profile: demoProfile,
    operationsPort: 0,
    sandboxPort: 0,
    logLevel: 'warn',
  });
  void house.broken.then((reason) => {
    stopping.abort(new Error(reason));
  });
  try {
    if (!options.once) for (const line of describeHouse(house)) say(line);
    return await run(options, house, stopping.signal);
  } finally {
    await house.stop();
  }
}

function run(options: DemoOptions, house: House, signal: AbortSignal): Promise<number> {
  return options.once ? runOnce(options, house, signal) : runForever(options, house, signal);
}
