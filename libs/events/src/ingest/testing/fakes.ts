import {
  DatabaseError,
  type Database,
  type SqlParameter,
  type SqlResult,
  type SqlSession,
  type SqlStatement,
} from '#platform';
import type { IngestMetrics } from '../ingest-metrics.js';
import {
  partitionKey,
  type FactsRequest,
  type Source,
  type SourceFacts,
  type SourceListener,
  type TopicPartition,
  type Watermarks,
} from '#kafka';

export { recordingLogger, until, type LogLine } from '#kafka/testing';

export interface RecordingMetrics {
  readonly metrics: IngestMetrics;
  /** By result, by `quarantine:REASON`, `key:KEY`, and `gap`. */
  readonly counts: Map<string, number>;
}

/** Metrics that keep their counts. */
export function recordingMetrics(): RecordingMetrics {
  const counts = new Map<string, number>();
  const add = (name: string, count: number): void => {
    counts.set(name, (counts.get(name) ?? 0) + count);
  };
  return {
    counts,
    metrics: {
      eventsIngested: (_topic, result, count) => {
        add(result, count);
      },
      quarantined: (reason, count) => {
        add(`quarantine:${reason}`, count);
      },
      recordKeys: (_topic, key, count) => {
        add(`key:${key}`, count);
      },
      memberInTwoPartitions: () => {
        add('two-partitions', 1);
      },
      consumerLag: () => undefined,
      sourceGap: () => {
        add('gap', 1);
      },
      unreadPartitions: () => undefined,
    },
  };
}

/** A source that only notes what it was told. */
export class FakeSource implements Source {
  /** Such as `seek p/0 5`. */
  readonly told: string[] = [];
  watermarks: Watermarks[] = [{ partition: 0, low: 0, high: 100 }];

  start(_listener: SourceListener): void {
    this.told.push('start');
  }

  async stop(): Promise<void> {
    this.told.push('stop');
  }

  seek(partition: TopicPartition, offset: number): void {
    this.told.push(`seek ${partitionKey(partition)} ${offset}`);
  }

  pause(partition: TopicPartition): void {
    this.told.push(`pause ${partitionKey(partition)}`);
  }

  resume(partition: TopicPartition): void {
    this.told.push(`resume ${partitionKey(partition)}`);
  }

  async facts({ topics }: FactsRequest): Promise<SourceFacts> {
    const watermarks = new Map(topics.map((topic) => [topic, this.watermarks]));
    return { clusterId: 'c', watermarks, offsetsAt: new Map() };
  }

  lastProgressAt(): number {
    return 0;
  }
}

interface OffsetRow {
  readonly topic: string;
  readonly partition: number;
  readonly incarnation: number;
  next_offset: number;
  last_offset: number | null;
  last_fingerprint: Buffer | null;
}

/** A database that knows `kafka_offset`, whether a gap was accepted, and nothing else. */
export class FakeOffsets implements Database {
  readonly rows: OffsetRow[] = [];
  isAway = false;
  isGapAccepted = false;
  private readonly gaps = new Set<string>();

  /** A partition that stands at `nextOffset`. */
  store(row: Pick<OffsetRow, 'topic' | 'partition' | 'incarnation' | 'next_offset'> & Partial<OffsetRow>): void {
    this.rows.push({ last_offset: null, last_fingerprint: null, ...row });
  }

  async execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    if (this.isAway) throw new DatabaseError(statement.name, 'unavailable', { sqlState: null, cause: null });
    if (statement.name === 'start_offset') this.insert(parameters);
    if (statement.name === 'jump_source_gap') this.jump(parameters);
    const rows = statement.name === 'note_source_gap' ? [this.noted(parameters)] : this.newest();
    return { rows: rows as unknown as Row[], rowCount: rows.length };
  }

  transaction<T>(_name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return work({ query: (statement, parameters) => this.execute(statement, parameters) });
  }

  private noted(parameters: readonly SqlParameter[]): { readonly isNew: boolean; readonly isAccepted: boolean } {
    const gap = parameters.slice(0, 5).join('/');
    const isNew = !this.gaps.has(gap);
    this.gaps.add(gap);
    return { isNew, isAccepted: this.isGapAccepted };
  }

  private newest(): OffsetRow[] {
    return [...Map.groupBy(this.rows, (row) => `${row.topic}/${row.partition}`).values()].flatMap((rows) =>
      rows.toSorted((a, b) => b.incarnation - a.incarnation).slice(0, 1),
    );
  }

  private insert([, topic, incarnation, partition, offset]: readonly SqlParameter[]): void {
    const isSame = (row: OffsetRow): boolean =>
      row.topic === topic && row.partition === partition && row.incarnation === incarnation;
    if (this.rows.some(isSame)) return;
    const row = { topic: String(topic), partition: Number(partition), incarnation: Number(incarnation) };
    this.store({ ...row, next_offset: Number(offset) });
  }

  private jump([, topic, incarnation, partition, from, to]: readonly SqlParameter[]): void {
    for (const row of this.rows) {
      const isSame = row.topic === topic && row.partition === partition && row.incarnation === incarnation;
      if (isSame && row.next_offset === from) row.next_offset = Number(to);
    }
  }
}
