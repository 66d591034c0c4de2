import { PgBoss } from 'pg-boss';
import { settle } from '../infrastructure/bench-postgres.js';
import { memberId } from './purchase-event.js';
import type { BacklogSize } from './fill-store.js';

const jobsPerInsert = 2_000;

export type PgBossPolicy = 'key_strict_fifo' | 'standard';

export const pgBossQueue = 'send';

/** Nothing of the library's own housekeeping runs beside the work. */
export const pgBossQuiet = { supervise: false, schedule: false } as const;

/**
 * The same backlog as jobs of pg-boss, keyed by member where its order counts. One insert never holds two jobs of a
 * member: they would have the same creation time, and then the library orders them by their random ids.
 */
export const fillPgBoss = async (url: string, size: BacklogSize, policy: PgBossPolicy): Promise<void> => {
  const boss = new PgBoss({ connectionString: url, ...pgBossQuiet });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(pgBossQueue, { policy, partition: true });
  for (let rank = 1; rank <= size.intentsPerMember; rank += 1) {
    for (let from = 0; from < size.members; from += jobsPerInsert) {
      const members = Array.from({ length: Math.min(jobsPerInsert, size.members - from) }, (_, index) => from + index);
      const jobs = members.map((member) => ({ data: { member, rank }, singletonKey: memberId(member) }));
      await boss.insert(pgBossQueue, policy === 'standard' ? jobs.map(({ data }) => ({ data })) : jobs);
    }
  }
  await boss.stop();
  await settle(url);
};
