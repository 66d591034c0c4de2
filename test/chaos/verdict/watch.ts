import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { MemberSeals, RunSampler } from '../../checker/index.js';
import { type ChaosHouse, encryptionKey } from '../installation/chaos-house.js';

const lookEveryMs = 5_000;
/** One lane of so many is looked at. */
const everyLane = 100;

/** Looks at lanes and offsets while they are being fought over. */
export class Watch {
  readonly sampler = new RunSampler(new MemberSeals(encryptionKey), everyLane);
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>;

  constructor(private readonly house: Pick<ChaosHouse, 'postgres'>) {
    this.work = this.watch();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Postgres may be away, or be killed in the middle of it.
      await this.look().catch(() => undefined);
      await delay(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const client = new pg.Client({ connectionString: this.house.postgres.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await this.sampler.look(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
