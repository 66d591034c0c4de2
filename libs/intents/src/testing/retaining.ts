import type { MaintenanceReport } from '../store/retention/maintain.js';
import { maintain } from '../store/retention/maintain.js';
import type { RetentionPolicy } from '../store/retention/retention-policy.js';
import { dayMs } from '../store/retention/retention-policy.js';
import { SettledTally } from '../store/tallies/settled-tally.js';
import { now } from './records.js';
import type { TestStore } from './test-store.js';

/** Maintenance, a hundred days after everything that the specs record. */
export class Retaining {
  at = now + 100 * dayMs;
  readonly policy: RetentionPolicy = {
    ...{ intentDays: 30, dedupDays: 0, quarantineDays: 0, unmappedDays: 30, jobDays: 0, auditDays: 0, erasedDays: 0 },
    hasDeadLetters: true,
  };

  constructor(private readonly store: TestStore) {}

  /** Whoever follows the events has read all of them; then a run. */
  async run(change: Partial<RetentionPolicy> = {}): Promise<MaintenanceReport> {
    await this.readAll();
    const tools = { database: this.store.owned, clock: { now: () => this.at } };
    return maintain(tools, { ...this.policy, ...change });
  }

  async readAll(): Promise<void> {
    const tally = new SettledTally(this.store.database);
    for (let step = await tally.step(); step !== 'idle'; step = await tally.step());
    await this.store.sql(
      'UPDATE projection_checkpoint SET pos = (SELECT last_value FROM event_pos_seq) WHERE name = $1',
      'outcomes',
    );
  }
}
