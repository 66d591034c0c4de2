import pg from 'pg';

import { EverySecond } from './every-second.js';

/** How things stood at one moment. */
export interface Beat {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly seconds: number;
  /** Records that the broker had acknowledged. */
  readonly acknowledged: number;
  /** Of those, consumed. */
  readonly ingested: number;
  /** In the partner's ledger. */
  readonly effects: number;
  /** Intents not settled yet, in lanes that wait for nothing but their turn. */
  readonly pending: number;
  /** Some lane is due, or somebody works on it. */
  readonly hasWork: boolean;
}

export interface PulseOptions {
  readonly truthUrl: string;
  readonly walletUrl: string;
  readonly acknowledged: () => number;
}

const truthText = `SELECT
  (SELECT coalesce(sum(tail_seq - head_seq + 1), 0)::float8 FROM lane
    WHERE cur_seq <= tail_seq AND state = 'live') AS pending,
  EXISTS (SELECT FROM lane WHERE owner IS NOT NULL OR due_at <= clock_timestamp()) AS "hasWork",
  (SELECT coalesce(sum(next_offset), 0)::float8 FROM (
    SELECT DISTINCT ON (topic, partition) next_offset FROM kafka_offset
    ORDER BY topic, partition, incarnation DESC) AS newest) AS ingested`;
const walletText = 'SELECT coalesce(max(seq), 0)::float8 AS effects FROM wallet_sandbox.ledger';

type TruthRow = Pick<Beat, 'pending' | 'hasWork' | 'ingested'>;

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'soak' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Looks every second at how far the work has come. */
export class Pulse {
  readonly beats: Beat[] = [];
  private readonly startedAt = performance.now();
  private readonly watch: EverySecond;

  private constructor(
    private readonly clients: { readonly truth: pg.Client; readonly wallet: pg.Client },
    private readonly acknowledged: () => number,
  ) {
    this.watch = new EverySecond(() => this.look());
  }

  static async take({ truthUrl, walletUrl, acknowledged }: PulseOptions): Promise<Pulse> {
    return new Pulse({ truth: await connect(truthUrl), wallet: await connect(walletUrl) }, acknowledged);
  }

  /** Looks that failed. */
  get failures(): number {
    return this.watch.failures;
  }

  async stop(): Promise<void> {
    await this.watch.stop();
    await Promise.all([this.clients.truth.end(), this.clients.wallet.end()]);
  }

  private async look(): Promise<void> {
    const acknowledged = this.acknowledged();
    const [truth, wallet] = await Promise.all([
      this.clients.truth.query<TruthRow>(truthText),
      this.clients.wallet.query<Pick<Beat, 'effects'>>(walletText),
    ]);
    const [standing, ledger] = [truth.rows[0], wallet.rows[0]];
    if (standing === undefined || ledger === undefined) return;
    const seconds = (performance.now() - this.startedAt) / 1_000;
    this.beats.push({ at: Date.now(), seconds, acknowledged, ...standing, ...ledger });
  }
}
