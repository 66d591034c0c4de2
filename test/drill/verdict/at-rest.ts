import { setTimeout as delay } from 'node:timers/promises';

import { logLevel } from 'kafkajs';

import { KafkaClient } from '#kafka/kafkajs';
import { queryOnce } from '#test-support';

import { topicsRead } from '../installation/programs.js';

interface Resting {
  readonly broker: { readonly brokers: string };
  readonly postgres: { readonly url: string };
  /** Some tills wrote receipts of their own. */
  readonly hasMarkets?: boolean;
}

/** What still moves. */
export interface Unrest {
  /** Records that ingest has not consumed. */
  readonly records: number;
  /** Lanes with something due, leased or waiting. */
  readonly lanes: number;
}

export interface RestReport {
  readonly isAtRest: boolean;
  /** From the healing until everything was at rest, or until we gave up. */
  readonly seconds: number;
  /**
   * Until nothing was due any more: lanes may still wait for a pass or a purchase, as the programs file says, or for the next
   * look at a doubt, which comes the later the older the doubt is.
   */
  readonly workedSeconds: number | null;
  /** Lanes that waited so even then. */
  readonly waited: number;
  /** Until the last record was ingested. */
  readonly ingestedSeconds: number | null;
  /** Until the outcomes topic had told everything, after the lanes were at rest; null: it never did. */
  readonly outcomesSeconds: number | null;
  readonly left: Unrest;
  /** Pauses that nobody but the daemons themselves had set; they were lifted, as an operator would. */
  readonly pausesLifted: readonly string[];
}

const pollIntervalMs = 250;
const sayEvery = 20;
/** How long we wait beyond the bar, to see whether it is late or never: a doubt is looked at again within five minutes. */
const giveUpSeconds = 360;
const outcomesMsMax = 60_000;

async function recordsLeft({ broker, postgres, ...read }: Resting): Promise<number> {
  const admin = new KafkaClient({ clientId: 'auditor', brokers: [broker.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const stored = await queryOnce<{ topic: string; partition: number; next: string }>(
      postgres.url,
      `SELECT DISTINCT ON (topic, partition) topic, partition, next_offset AS next
       FROM kafka_offset ORDER BY topic, partition, incarnation DESC`,
    );
    const next = new Map(stored.map((row) => [`${row.topic} ${row.partition}`, Number(row.next)]));
    let left = 0;
    for (const topic of topicsRead(read)) {
      for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
        left += Number(high) - (next.get(`${topic} ${partition}`) ?? 0);
      }
    }
    return left;
  } finally {
    await admin.disconnect();
  }
}

interface Moving {
  readonly lanes: number;
  /** Of these: they wait for a pass or a purchase, or their time has not come. */
  readonly waiting: number;
}

async function lanesMoving(url: string): Promise<Moving> {
  const rows = await queryOnce<{ lanes: string; waiting: string }>(
    url,
    `SELECT count(*) AS lanes, count(*) FILTER (WHERE owner IS NULL AND NOT attempt_open
       AND (state = 'waiting' OR due_at > now() + interval '1 second')) AS waiting
     FROM lane WHERE due_at IS NOT NULL OR owner IS NOT NULL OR attempt_open`,
  );
  return { lanes: Number(rows[0]?.lanes), waiting: Number(rows[0]?.waiting) };
}

async function liftPauses(url: string): Promise<string[]> {
  const rows = await queryOnce<{ what: string }>(
    url,
    `UPDATE pause SET lifted_at = now(), lifted_by = 'drill', lifted_reason = 'the partner is well again'
     WHERE lifted_at IS NULL RETURNING concat_ws(' ', program_id, operation, reason) AS what`,
  );
  return rows.map(({ what }) => what);
}

/** @returns seconds until the outcomes topic had told everything; null when it does not come to an end */
async function outcomesPublished({ postgres }: Resting): Promise<number | null> {
  const text = `SELECT pos >= (SELECT max(pos) FROM intent_event) AS told FROM projection_checkpoint
    WHERE name = 'outcomes'`;
  const startedAt = performance.now();
  for (let waitedMs = 0; waitedMs < outcomesMsMax; waitedMs = performance.now() - startedAt) {
    const [row] = await queryOnce<{ told: boolean }>(postgres.url, text);
    if (row?.told === true) return Math.round(waitedMs / 100) / 10;
    await delay(pollIntervalMs);
  }
  return null;
}

/** Waits until all that was produced is ingested and every lane is idle or blocked. */
export async function awaitRest(harness: Resting, say: (text: string) => void): Promise<RestReport> {
  const pausesLifted = await liftPauses(harness.postgres.url);
  const healing = new Healing(harness);
  for (let told = 0; !(await healing.isOver()); told += 1) {
    if (told % sayEvery === 0) say(healing.describe());
    await delay(pollIntervalMs);
  }
  return { ...healing.report(), outcomesSeconds: await outcomesPublished(harness), pausesLifted };
}

/** What is still left of a run, since everything was healed. */
class Healing {
  private readonly startedAt = performance.now();
  private seconds = 0;
  private ingestedSeconds: number | null = null;
  private workedSeconds: number | null = null;
  private waited = 0;
  private left: Unrest = { records: Infinity, lanes: Infinity };

  constructor(private readonly harness: Resting) {}

  /** At rest, or given up. */
  async isOver(): Promise<boolean> {
    const records = this.ingestedSeconds === null ? await recordsLeft(this.harness) : 0;
    const { lanes, waiting } = await lanesMoving(this.harness.postgres.url);
    this.left = { records, lanes };
    this.seconds = Math.round((performance.now() - this.startedAt) / 100) / 10;
    if (records === 0 && lanes === waiting) {
      this.workedSeconds ??= this.seconds;
      this.waited = Math.max(this.waited, waiting);
    }
    if (records === 0) this.ingestedSeconds ??= this.seconds;
    return this.isAtRest || this.seconds > giveUpSeconds;
  }

  describe(): string {
    return `healed for ${this.seconds} s: ${this.left.records} records and ${this.left.lanes} lanes left`;
  }

  report(): Omit<RestReport, 'outcomesSeconds' | 'pausesLifted'> {
    const { isAtRest, seconds, workedSeconds, waited, ingestedSeconds, left } = this;
    return { isAtRest, seconds, workedSeconds, waited, ingestedSeconds, left };
  }

  private get isAtRest(): boolean {
    return this.left.records === 0 && this.left.lanes === 0;
  }
}
