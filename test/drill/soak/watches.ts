import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { processMemory } from '#test-support';

import { Watch } from '../verdict/judge-run.js';
import type { SoakHarness } from './soak-harness.js';

const everyMs = 1_000;

/** Does something every second until it is stopped. What fails is left out: the next second comes. */
class EverySecond {
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>;
  /** Looks that failed. */
  failures = 0;

  constructor(private readonly look: () => Promise<void>) {
    this.work = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let next = performance.now(); !signal.aborted; next = Math.max(next + everyMs, performance.now())) {
      await delay(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => undefined);
      await this.look().catch(() => {
        this.failures += 1;
      });
    }
  }
}

/** A process, seen once. */
export interface MemorySample {
  readonly process: string;
  readonly pid: number;
  /** Since the run began. */
  readonly seconds: number;
  /** Since this process was first seen. */
  readonly ageSeconds: number;
  /** Resident. */
  readonly mebibytes: number;
  readonly descriptors: number;
}

/** A place where processes live, one after the other. */
interface Inhabited {
  readonly name: string;
  /** Null while nobody is there. */
  readonly pid: number | null;
}

/** Looks every second at how much memory and how many descriptors processes have, by /proc. */
class MemoryWatch {
  readonly samples: MemorySample[] = [];
  private readonly bornAt = new Map<number, number>();
  private readonly startedAt = performance.now();
  private readonly watch: EverySecond;

  constructor(private readonly places: readonly Inhabited[]) {
    this.watch = new EverySecond(() => this.look());
  }

  async stop(): Promise<void> {
    await this.watch.stop();
  }

  private async look(): Promise<void> {
    // A process may go while it is looked at.
    await Promise.all(this.places.map((place) => this.sample(place).catch(() => undefined)));
  }

  private async sample({ name, pid }: Inhabited): Promise<void> {
    if (pid === null) return;
    const now = performance.now();
    const bornAt = this.bornAt.get(pid) ?? now;
    this.bornAt.set(pid, bornAt);
    const [memory, descriptors] = await Promise.all([processMemory(pid), readdir(`/proc/${pid}/fd`)]);
    const { residentMebibytes: mebibytes } = memory;
    if (Number.isNaN(mebibytes)) return;
    const seconds = (now - this.startedAt) / 1_000;
    const ageSeconds = (now - bornAt) / 1_000;
    this.samples.push({ process: name, pid, seconds, ageSeconds, mebibytes, descriptors: descriptors.length });
  }
}

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

interface PulseOptions {
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
class Pulse {
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

/** Everything that looks on while a run is under way. */
export class Watches {
  private readonly startedAt = performance.now();

  private constructor(
    /** Looks at lanes and offsets, for the checker. */
    readonly lanes: Watch,
    private readonly memory: MemoryWatch,
    private readonly pulse: Pulse,
  ) {}

  static async open(harness: SoakHarness, acknowledged: () => number): Promise<Watches> {
    const { postgres, wallet, slots } = harness;
    const pulse = await Pulse.take({ truthUrl: postgres.url, walletUrl: wallet.databaseUrl, acknowledged });
    const sandbox = { name: 'sandbox', pid: wallet.pid };
    return new Watches(new Watch(harness), new MemoryWatch([...slots, sandbox]), pulse);
  }

  /** Since they were opened. */
  get seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }

  get beats(): readonly Beat[] {
    return this.pulse.beats;
  }

  get samples(): readonly MemorySample[] {
    return this.memory.samples;
  }

  /** Looks that failed. */
  get failures(): number {
    return this.pulse.failures;
  }

  async stop(): Promise<void> {
    await Promise.all([this.lanes.stop(), this.memory.stop(), this.pulse.stop()]);
  }
}
