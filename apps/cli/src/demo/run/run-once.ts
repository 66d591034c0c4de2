import { readFile } from 'node:fs/promises';

import { exitError, exitOk } from '../../command-line/command-failure.js';
import type { House } from '../../house/house.js';
import type { EmittedRecord } from '../audit/audit-input.js';
import type { AuditReport } from '../audit/audit.js';
import { audit, isClean } from '../audit/audit.js';
import type { DemoOptions } from '../demo-options.js';
import { Progress } from '../report/progress.js';
import { reportTable } from '../report/report-text.js';
import { Traffic } from '../traffic/traffic.js';
import { EventProducer } from './event-producer.js';
import { paced } from './pace.js';
import { readLedger, readQuarantined, readStandings } from './read-evidence.js';
import { settle } from './settle.js';
import { EmittedCount, readStatus } from './status.js';

const lastLinesMax = 10;

const say = (text: string): void => {
  process.stderr.write(text);
};

/** Emits so many events, waits until all is settled, audits. @returns the exit code */
export async function runOnce(options: DemoOptions, house: House, signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const { emitted, isSettled } = await emitAndSettle(options, house, signal);
  const seconds = Math.round((performance.now() - begin) / 100) / 10;
  signal.throwIfAborted();
  if (!isSettled) say('demo: not settled, nothing has moved for a minute; audited as it stands\n');
  const report = await auditHouse(house, emitted);
  const isGood = isSettled && isClean(report);
  for (const finding of report.findings) say(`demo: ${finding}\n`);
  if (!isGood) say(`demo: the daemon's last words:\n${await lastLines(house.daemon.logFile)}\n`);
  const { findings: _findings, ...counts } = report;
  const figures = { ...counts, seconds };
  process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : reportTable(figures));
  return isGood ? exitOk : exitError;
}

async function lastLines(logFile: string): Promise<string> {
  return (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-lastLinesMax).join('\n');
}

interface Emission {
  readonly emitted: readonly EmittedRecord[];
  readonly isSettled: boolean;
}

async function emitAndSettle(options: DemoOptions, house: House, signal: AbortSignal): Promise<Emission> {
  const traffic = new Traffic({ seed: options.seed, records: options.events, startMs: Date.now() });
  const progress = new Progress(process.stderr);
  const emitted: EmittedRecord[] = [];
  const count = new EmittedCount();
  const producer = new EventProducer(house.brokers);
  await producer.connect();
  try {
    for await (const batch of paced(traffic, { ...options, signal })) {
      const records = await producer.send(batch);
      emitted.push(...records);
      count.add(records);
      progress.show(await readStatus(house.database, count));
    }
    const read = () => readStatus(house.database, count);
    const isSettled = await settle({ read, onStatus: (status) => progress.show(status), signal });
    return { emitted, isSettled };
  } finally {
    progress.end();
    await producer.disconnect();
  }
}

async function auditHouse({ database, sandbox }: House, emitted: readonly EmittedRecord[]): Promise<AuditReport> {
  return audit({
    emitted,
    ledger: await readLedger(sandbox.authUrl),
    standings: await readStandings(database),
    quarantined: await readQuarantined(database),
  });
}
