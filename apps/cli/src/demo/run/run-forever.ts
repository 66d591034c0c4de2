import { exitError, exitOk } from '../../command-line/command-failure.js';
import type { House } from '../../house/house.js';
import type { DemoOptions } from '../demo-options.js';
import { Progress } from '../report/progress.js';
import { statusBlock } from '../report/status-text.js';
import { Traffic } from '../traffic/traffic.js';
import { EventProducer } from './event-producer.js';
import { paced } from './pace.js';
import { EmittedCount, readStatus } from './status.js';

const statusEveryMs = 1_000;
/** Counting reads every event: at most this share of the time goes into it, however much there is to count. */
const countingShareMax = 0.1;

/** Emits until the signal, and shows what becomes of it. @returns the exit code */
export async function runForever(options: DemoOptions, house: House, signal: AbortSignal): Promise<number> {
  process.stderr.write(`${options.eventsPerSecond} events per second (--rate) until Ctrl-C; --once audits a run\n\n`);
  const traffic = new Traffic({ seed: options.seed, records: null, startMs: Date.now() });
  const progress = new Progress(process.stderr);
  const count = new EmittedCount();
  const producer = new EventProducer(house.brokers);
  await producer.connect();
  let showAt = 0;
  try {
    for await (const batch of paced(traffic, { ...options, signal })) {
      count.add(await producer.send(batch));
      if (performance.now() < showAt) continue;
      const begin = performance.now();
      progress.show(await readStatus(house.database, count));
      const tookMs = performance.now() - begin;
      showAt = performance.now() + Math.max(statusEveryMs, tookMs / countingShareMax);
    }
    await sayGoodbye(house, count);
  } finally {
    await producer.disconnect();
  }
  return wasAskedToStop(signal) ? exitOk : exitError;
}

async function sayGoodbye({ database }: House, count: EmittedCount): Promise<void> {
  const status = await readStatus(database, count);
  process.stdout.write(`\nWhen it was stopped:\n\n${statusBlock(status).join('\n')}\n`);
}

/** A part of the house that ended by itself is told; a person who had enough is not. */
function wasAskedToStop(signal: AbortSignal): boolean {
  const message = signal.reason instanceof Error ? signal.reason.message : '';
  if (message.startsWith('stopped by')) return true;
  process.stderr.write(`${message}\n`);
  return false;
}
