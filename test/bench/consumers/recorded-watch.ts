import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';

import { waitUntil } from '#embedded';

import { machineMs } from '../child.js';
import type { RecordedLook } from './recorded-look.js';

/** What a look may be late by. It reads as many rows as there are partitions. */
const lookIntervalMs = 50;
/** More than an hour: whoever watches so long hangs. */
const looksMax = 100_000;

const lookText = 'SELECT partition, next_offset::float8 AS next FROM kafka_offset WHERE topic = $1';

/** Looks into Postgres, from outside of the daemons, which offsets have been recorded; until it is stopped. */
export class RecordedWatch {
  readonly looks: RecordedLook[] = [];
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;
  private failure: unknown = null;

  private constructor(
    private readonly client: pg.Client,
    private readonly topic: string,
    private readonly partitions: number,
  ) {
    this.watching = this.watch().catch((error: unknown) => {
      this.failure = error;
    });
  }

  static async open(url: string, topic: string, partitions: number): Promise<RecordedWatch> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new RecordedWatch(client, topic, partitions);
  }

  /** Resolves when the looks show it. @throws when that takes too long, and when nobody looks any more */
  async until(isSeen: () => boolean, what: string, timeoutMs: number): Promise<void> {
    const isOver = (): boolean => {
      if (this.failure !== null) throw new Error('looking into Postgres failed', { cause: this.failure });
      return isSeen();
    };
    await waitUntil(isOver, { what, timeoutMs, intervalMs: lookIntervalMs });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.client.end();
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (this.looks.length === looksMax) throw new Error(`${looksMax} looks are too many`);
      this.looks.push(await this.look());
      await sleep(lookIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<RecordedLook> {
    const { rows } = await this.client.query<{ partition: number; next: number }>(lookText, [this.topic]);
    const nextOffsets = Array.from({ length: this.partitions }, () => 0);
    for (const { partition, next } of rows) nextOffsets[partition] = next;
    return { at: machineMs(), nextOffsets };
  }
}
