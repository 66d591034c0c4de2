import { Injectable } from '@nestjs/common';

import type { BatchReadAgain, ReadAgainRecord, StoredOffset } from '#intents';
import { listPositions, loadOffsets, ReadAgainRepository } from '#intents';
import type { SqlSession } from '#platform';
import { Database } from '#platform';

type Batch = Omit<BatchReadAgain, 'alongside'>;

/** Keeps how far a job is, within the transaction of what it did. Throwing undoes that. */
export type Keep<T> = (session: SqlSession, read: readonly ReadAgainRecord[]) => Promise<T>;

/** What was read again, and how far a job is with it. */
@Injectable()
export class RereadTopicRepository {
  constructor(
    private readonly database: Database,
    private readonly again: ReadAgainRepository,
  ) {}

  /** The topics that ingest has seen. */
  async topicsSeen(): Promise<readonly string[]> {
    return [...new Set((await listPositions(this.database)).map(({ topic }) => topic))];
  }

  ingested(topics: { readonly clusterId: string; readonly topics: readonly string[] }): Promise<StoredOffset[]> {
    return loadOffsets(this.database, topics);
  }

  /** In one transaction with what was recorded; of a dry run in one of its own, after that is undone. @throws as `ReadAgainRepository.record` */
  async record<T>(batch: Batch, keep: Keep<T>): Promise<{ readonly kept: T; readonly hasRecorded: boolean }> {
    if (batch.isDryRun) {
      const read = await this.again.record(batch);
      return { kept: await this.keep((session) => keep(session, read)), hasRecorded: false };
    }
    let kept: { readonly of: T } | null = null;
    const alongside = async (session: SqlSession, read: readonly ReadAgainRecord[]): Promise<void> => {
      kept = { of: await keep(session, read) };
    };
    const read = await this.again.record({ ...batch, alongside });
    const { of } = kept as unknown as { readonly of: T };
    return { kept: of, hasRecorded: read.some(({ result }) => result.kind === 'recorded') };
  }

  /** By itself. */
  keep<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.database.transaction('keep_reread', work);
  }
}
