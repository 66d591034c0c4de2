import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import type { IntentWithStatus, QuarantinedRecord } from '#operations';
import { StatusRepository } from '#operations';
import type { Database } from '#platform';
import { isOthers, OtherClient } from '#shop';

import { exitError, exitOk } from '../command-line/command-failure.js';
import type { DevStack } from '../dev/dev-stack.js';
import { describeDevStack, startDevStack } from '../dev/dev-stack.js';
import type { ProgramsProfile } from '../dev/programs-text.js';
import { stopRequest, whileAwake } from '../dev/stop-request.js';
import type { AuditReport, EmittedRecord, LedgerEntry } from './audit.js';
import { audit, isClean, reportTable } from './audit.js';
import type { DemoOptions } from './demo-options.js';
import { EventProducer, paced } from './event-producer.js';
import { EmittedCount, Progress, readStatus, settle, statusBlock } from './status.js';
import type { Draft } from './traffic/draft.js';
import { Traffic } from './traffic/traffic.js';
import { Troubles, troublesMade } from './troubles.js';

const ledgerPageMax = 10_000;
const requestTimeoutMs = 30_000;

interface LedgerPage {
  readonly items: readonly (LedgerEntry & { readonly requestId: string })[];
  readonly nextAfter: number | null;
}

/** The sandbox's own ledger, all that is ours of it, by plain HTTP: nothing of the daemon stands between. */
async function readLedger(authUrl: string): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: number | null = 0; after !== null;) {
    const response = await fetch(`${authUrl}/__ledger?after=${after}&limit=${ledgerPageMax}`, {
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    if (!response.ok) throw new Error(`the sandbox's ledger answered ${response.status}`);
    const page = (await response.json()) as LedgerPage;
    entries.push(...page.items.filter((entry) => !isOthers(entry)));
    after = page.nextAfter;
  }
  return entries;
}

async function readIntents(database: Database): Promise<readonly IntentWithStatus[]> {
  const intents: IntentWithStatus[] = [];
  for (;;) {
    const page = await new StatusRepository(database).list(intents.at(-1) ?? { laneId: 0, seq: 0 });
    if (page.length === 0) return intents;
    intents.push(...page);
  }
}

async function readQuarantined(database: Database): Promise<readonly QuarantinedRecord[]> {
  const records: QuarantinedRecord[] = [];
  for (;;) {
    const page = await new StatusRepository(database).listQuarantined(records.at(-1)?.quarantineId ?? 0);
    if (page.length === 0) return records;
    records.push(...page);
  }
}

const lastLinesMax = 10;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Emits so many events, waits until all is settled, audits. @returns the exit code */
async function runOnce(options: DemoOptions, stack: DevStack, signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const { emitted, isSettled } = await emitAndSettle(options, stack, signal);
  const seconds = Math.round((performance.now() - begin) / 100) / 10;
  signal.throwIfAborted();
  if (!isSettled) say('demo: not settled, nothing has moved for a minute; audited as it stands');
  const report = await auditStack(stack, emitted);
  const isGood = isSettled && isClean(report);
  for (const finding of report.findings) say(`demo: ${finding}`);
  if (!isGood) say(`demo: the daemon's last words:\n${await lastLines(stack.daemon.logFile)}`);
  const { findings: _findings, ...counts } = report;
  const figures = { ...counts, seconds };
  process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : reportTable(figures));
  if (options.stay) {
    if (options.troubles) await leaveTroubles(stack, signal);
    await stayUntil(signal, stack);
  }
  return isGood ? exitOk : exitError;
}

/** After the audit: a demo that stays up has something to look at. */
async function leaveTroubles(stack: DevStack, signal: AbortSignal): Promise<void> {
  const producer = new EventProducer(stack.brokers);
  await producer.connect();
  try {
    await makeTroubles(new Troubles(stack, producer, signal), signal);
  } finally {
    await producer.disconnect();
  }
}

async function makeTroubles(troubles: Troubles, signal: AbortSignal): Promise<void> {
  say('a few troubles to look at in the console (--no-troubles leaves them out) ...');
  await troubles.make();
  if (!signal.aborted) for (const line of troublesMade) say(`  ${line}`);
}

/** Shows where everything is, and leaves it there. */
async function stayUntil(signal: AbortSignal, stack: DevStack): Promise<void> {
  for (const line of describeDevStack(stack)) say(line);
  await whileAwake(once(signal, 'abort'));
}

async function lastLines(logFile: string): Promise<string> {
  return (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-lastLinesMax).join('\n');
}

/** Other systems post to the same partner. */
function otherClient({ sandbox }: DevStack): OtherClient {
  return new OtherClient({ url: sandbox.authUrl, clientId: 'sandbox', clientSecret: () => 'sandbox' });
}

async function letOthersAct(batch: readonly { readonly draft: Draft }[], others: OtherClient): Promise<void> {
  for (const { draft } of batch) if (draft.other !== null) await others.post(draft.other);
}

interface Emission {
  readonly emitted: readonly EmittedRecord[];
  readonly isSettled: boolean;
}

async function emitAndSettle(options: DemoOptions, stack: DevStack, signal: AbortSignal): Promise<Emission> {
  const traffic = new Traffic({ seed: options.seed, records: options.events, startMs: Date.now() });
  const progress = new Progress(process.stderr);
  const emitted: EmittedRecord[] = [];
  const count = new EmittedCount();
  const producer = new EventProducer(stack.brokers);
  const others = otherClient(stack);
  await producer.connect();
  try {
    for await (const batch of paced(traffic, { ...options, signal })) {
      await letOthersAct(batch, others);
      const records = await producer.send(batch);
      emitted.push(...records);
      count.add(records);
      progress.show(await readStatus(stack.database, count));
    }
    const read = () => readStatus(stack.database, count);
    const isSettled = await settle({ read, onStatus: (status) => progress.show(status), signal });
    return { emitted, isSettled };
  } finally {
    progress.end();
    await producer.disconnect();
  }
}

async function auditStack({ database, sandbox }: DevStack, emitted: readonly EmittedRecord[]): Promise<AuditReport> {
  return audit({
    emitted,
    ledger: await readLedger(sandbox.authUrl),
    intents: await readIntents(database),
    quarantined: await readQuarantined(database),
  });
}

const statusEveryMs = 1_000;
/** Counting reads every event: at most this share of the time goes into it, however much there is to count. */
const countingShareMax = 0.1;

/** Emits until the signal, and shows what becomes of it. @returns the exit code */
async function runForever(options: DemoOptions, stack: DevStack, signal: AbortSignal): Promise<number> {
  const traffic = new Traffic({ seed: options.seed, records: null, startMs: Date.now() });
  const progress = new Progress(process.stderr);
  const count = new EmittedCount();
  const producer = new EventProducer(stack.brokers);
  const others = otherClient(stack);
  const troubles = new Troubles(stack, producer, signal);
  await producer.connect();
  let resuming: Promise<void> = Promise.resolve();
  let showAt = 0;
  try {
    if (options.troubles) {
      await makeTroubles(troubles, signal);
      count.add(troubles.sent);
      resuming = troubles.resumeLater();
    }
    say(`${options.eventsPerSecond} events per second (--rate) until Ctrl-C; --once audits a run\n`);
    for await (const batch of paced(traffic, { ...options, signal })) {
      await letOthersAct(batch, others);
      count.add(await producer.send(batch));
      if (performance.now() < showAt) continue;
      const begin = performance.now();
      progress.show(await readStatus(stack.database, count));
      const tookMs = performance.now() - begin;
      showAt = performance.now() + Math.max(statusEveryMs, tookMs / countingShareMax);
    }
    await sayGoodbye(stack, count);
  } finally {
    await resuming;
    await producer.disconnect();
  }
  return wasAskedToStop(signal) ? exitOk : exitError;
}

async function sayGoodbye({ database }: DevStack, count: EmittedCount): Promise<void> {
  const status = await readStatus(database, count);
  process.stdout.write(`\nWhen it was stopped:\n\n${statusBlock(status).join('\n')}\n`);
}

/** A part of the stack that ended by itself is reported; a person's Ctrl-C is not. */
function wasAskedToStop(signal: AbortSignal): boolean {
  const message = signal.reason instanceof Error ? signal.reason.message : '';
  if (message.startsWith('stopped by')) return true;
  process.stderr.write(`${message}\n`);
  return false;
}

/** Short, so that a run ends soon; nothing else differs from a real one. */
const demoProfile = { inFlightMs: 3_000, missingPassWaitMs: 5_000 } as const satisfies ProgramsProfile;

/** Starts the stack, lets traffic through it, and stops it again. @returns the exit code */
export async function runDemo(options: DemoOptions): Promise<number> {
  const stopping = new AbortController();
  void stopRequest().then((signal) => {
    stopping.abort(new Error(`stopped by ${signal}`));
  });
  const { inFlightMs, missingPassWaitMs } = demoProfile;
  say(`demo profile: inFlightMs ${inFlightMs}, missingPass.waitMs ${missingPassWaitMs}`);
  const stack = await startDevStack({
    dataFolder: null,
    profile: demoProfile,
    operationsPort: 0,
    sandboxPort: 0,
    logLevel: 'warn',
  });
  void stack.broken.then((reason) => {
    stopping.abort(new Error(reason));
  });
  try {
    if (!options.once) for (const line of describeDevStack(stack)) say(line);
    return await run(options, stack, stopping.signal);
  } finally {
    await stack.stop();
  }
}

function run(options: DemoOptions, stack: DevStack, signal: AbortSignal): Promise<number> {
  return options.once ? runOnce(options, stack, signal) : runForever(options, stack, signal);
}
