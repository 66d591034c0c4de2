import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { retain } from '../retention/retain.js';
import type { RetentionPolicy, RetentionReport } from '../retention/retention-run.js';
import { dayMs } from '../retention/retention-run.js';
import { SettledTally } from '../tallies/settled-tally.js';
import { now } from './records.js';
import type { TestStore } from './test-store.js';

export interface ArchivedRow {
  readonly table: 'intent' | 'intent_event';
  readonly row: Readonly<Record<string, unknown>> & { readonly lane_id: number; readonly seq: number };
}

/** Retention, a hundred days after everything that the specs record. */
export class Retaining {
  at = now + 100 * dayMs;

  private constructor(
    private readonly store: TestStore,
    readonly folder: string,
  ) {}

  static async open(store: TestStore): Promise<Retaining> {
    return new Retaining(store, await mkdtemp(join(tmpdir(), 'loyaltyd-archive-')));
  }

  get policy(): RetentionPolicy {
    const none = { dedupDays: 0, quarantineDays: 0, jobDays: 0 };
    return { intentDays: 30, ...none, hasDeadLetters: true, archiveFolder: this.folder };
  }

  /** Whoever follows the events has read all of them; then a run. */
  async run(change: Partial<RetentionPolicy> = {}): Promise<RetentionReport> {
    const { database, random } = this.store;
    const tally = new SettledTally(database);
    for (let step = await tally.step(); step !== 'idle'; step = await tally.step());
    await this.store.sql('UPDATE projection_checkpoint SET pos = (SELECT last_value FROM event_pos_seq)');
    const report = await retain({ database, random, clock: { now: () => this.at } }, { ...this.policy, ...change }, 0);
    if (report === null) throw new Error('a run is under way');
    return report;
  }

  async files(): Promise<string[]> {
    return (await readdir(this.folder)).sort();
  }

  async rowsIn(file: string): Promise<ArchivedRow[]> {
    const text = await readFile(join(this.folder, file), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ArchivedRow);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
