import { setTimeout as delay } from 'node:timers/promises';

import type { IngestedPosition } from '#intents';
import { listPositions } from '#intents';
import type { StatusCounts, WorkCounts } from '#operations';
import { StatusRepository } from '#operations';
import type { Database } from '#platform';

import type { EmittedRecord } from './audit.js';

/** How far a run has come. */
export interface Status {
  readonly emitted: number;
  readonly ingested: number;
  readonly counts: StatusCounts;
  readonly work: WorkCounts;
}

/** How many records lie in each partition, by what the brokers acknowledged. */
export class EmittedCount {
  private readonly nextOffsets = new Map<string, number>();
  private count = 0;

  get total(): number {
    return this.count;
  }

  add(records: readonly EmittedRecord[]): void {
    this.count += records.length;
    for (const { topic, partition, offset } of records) this.nextOffsets.set(`${topic}/${partition}`, offset + 1);
  }

  /** How many of them ingest has taken in. The topics were empty at the beginning. */
  ingested(positions: readonly IngestedPosition[]): number {
    const known = new Map(positions.map(({ topic, partition, nextOffset }) => [`${topic}/${partition}`, nextOffset]));
    return [...this.nextOffsets].reduce((sum, [place, next]) => sum + Math.min(known.get(place) ?? 0, next), 0);
  }
}

export async function readStatus(database: Database, emitted: EmittedCount): Promise<Status> {
  // The work is counted after the positions: what was ingested by then is either settled or still among the work.
  const ingested = emitted.ingested(await listPositions(database));
  const [counts, work] = [
    await new StatusRepository(database).count(),
    await new StatusRepository(database).countWork(),
  ];
  return { emitted: emitted.total, ingested, counts, work };
}

/** True when everything emitted was ingested and nothing more will happen by itself. */
export function isSettled({ emitted, ingested, work }: Status): boolean {
  return ingested >= emitted && work.openLanes === 0;
}

interface SettleOptions {
  readonly read: () => Promise<Status>;
  readonly onStatus: (status: Status) => void;
  readonly signal: AbortSignal;
}

const pollMs = 200;
/** Longer than any wait of the demo's profile, retries included: nothing moved for so long means that nothing will. */
const stuckAfterMs = 60_000;

/** Waits until all is settled. @returns false when nothing has moved for a minute, or the signal said stop */
export async function settle({ read, onStatus, signal }: SettleOptions): Promise<boolean> {
  let last = '';
  let movedAt = performance.now();
  while (!signal.aborted && performance.now() - movedAt < stuckAfterMs) {
    const status = await read();
    onStatus(status);
    if (isSettled(status)) return true;
    const now = JSON.stringify(status);
    if (now !== last) movedAt = performance.now();
    last = now;
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** One line for a log. */
function statusLine({ emitted, ingested, counts, work }: Status): string {
  const open = counts.pending + counts.delivering + counts.unknown;
  const parts = [
    `emitted ${emitted}`,
    `ingested ${ingested}`,
    `delivered ${counts.delivered}`,
    `open ${open}`,
    `waiting ${counts.waiting}`,
    `parked ${counts.parked}`,
    `cancelled ${counts.cancelled}`,
    `quarantined ${work.quarantined}`,
  ];
  return parts.join(', ');
}

const barWidth = 40;

/** A block for a terminal: bars against the number of records emitted. */
export function statusBlock(status: Status): readonly string[] {
  const { emitted, ingested, counts, work } = status;
  const rows: readonly (readonly [string, number])[] = [
    ['emitted', emitted],
    ['ingested', ingested],
    ['delivered', counts.delivered],
    ['open', counts.pending + counts.delivering + counts.unknown],
    ['waiting', counts.waiting],
    ['parked', counts.parked],
    ['cancelled', counts.cancelled],
    ['quarantined', work.quarantined],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(12)} ${String(value).padStart(8)}  ${bar(value, emitted)}`);
}

function bar(value: number, whole: number): string {
  return '█'.repeat(whole === 0 ? 0 : Math.min(barWidth, Math.ceil((value / whole) * barWidth)));
}

/** Where progress is written: a terminal's block is written over, anything else gets a line now and then. */
interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const lineEveryMs = 2_000;

/** Live progress. Standard output stays free for results. */
export class Progress {
  private linesUp = 0;
  private nextLineAt = 0;

  constructor(private readonly output: ProgressOutput) {}

  show(status: Status): void {
    if (this.output.isTTY === true) this.redraw(status);
    else this.log(status);
  }

  /** The block stays as it is; what is written from now on goes below. */
  end(): void {
    this.linesUp = 0;
  }

  private redraw(status: Status): void {
    const lines = statusBlock(status);
    const back = this.linesUp === 0 ? '' : `\u001b[${this.linesUp}A`;
    this.output.write(`${back}${lines.map((line) => `\u001b[2K${line}\n`).join('')}`);
    this.linesUp = lines.length;
  }

  private log(status: Status): void {
    if (performance.now() < this.nextLineAt) return;
    this.nextLineAt = performance.now() + lineEveryMs;
    this.output.write(`${statusLine(status)}\n`);
  }
}
