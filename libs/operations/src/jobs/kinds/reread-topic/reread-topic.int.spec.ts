import { ReadAgainRepository } from '#intents';
import type { PreparedRecord } from '#intents';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { JobFixture } from '../../../testing/job-fixture.js';
import { purchase } from '../../../testing/sample-records.js';
import type { Job } from '../../job-repository.js';
import { JobRepository } from '../../job-repository.js';
import { RereadTopicRepository } from './reread-topic-repository.js';
import { RereadTopicWork } from './reread-topic-work.js';
import type { PartToRead, ReadPart } from './topic-reader.js';
import { TopicReader } from './topic-reader.js';

const topic = 'loyalty.members';
const partition = 0;
const programsHash = Buffer.alloc(16, 2);

let test: TestDatabase;
let fixture: JobFixture;
let reader: ListReader;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
  reader = new ListReader();
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

/** Hands on records that a spec gives it, a few at once. */
class ListReader extends TopicReader {
  records: PreparedRecord[] = [];
  readonly hasDeadLetters = true;
  readonly rules = { isReadable: true, knownSince: () => 0, sourceOf: () => 'shop' };
  partSize = 2;
  /** Called before each part. */
  before: (nextOffset: number) => Promise<void> | void = () => undefined;

  override look(topics: readonly string[]): ReturnType<TopicReader['look']> {
    const { length: stable } = this.records;
    const at = { low: 0, stable, at: 0, knownAt: 0 };
    return Promise.resolve({ clusterId: 'c1', partitions: topics.map((name) => ({ topic: name, partition, ...at })) });
  }

  override async *read(parts: readonly PartToRead[]): AsyncGenerator<ReadPart, void> {
    for (const { next, end } of parts) {
      for (let from = next; from < end; from += this.partSize) {
        const nextOffset = Math.min(from + this.partSize, end);
        await this.before(from);
        yield { topic, partition, records: this.records.slice(from, nextOffset), nextOffset, programsHash };
      }
    }
  }
}

const sale = (
  offset: number,
  change: (record: PreparedRecord) => PreparedRecord = (record) => record,
): PreparedRecord => {
  const record = purchase(`p-${offset}`, `m-${offset}`);
  return change({ ...record, original: { ...record.original, offset } });
};

const refused = (record: PreparedRecord): PreparedRecord => ({
  ...record,
  verdict: { kind: 'quarantine', reason: 'invalid', detail: 'map: total: not exact' },
});

/** Text that Postgres does not take. */
const poisonous = (record: PreparedRecord): PreparedRecord => {
  const { verdict } = record;
  if (verdict.kind !== 'routed') return record;
  const intents = verdict.intents.map((intent) => ({ ...intent, facts: { ...intent.facts, storeId: 'a\u0000b' } }));
  return { ...record, verdict: { ...verdict, intents } };
};

/** Ingest has passed over all of them. */
async function missed(...records: readonly PreparedRecord[]): Promise<void> {
  reader.records = [...records];
  await fixture.sql('UPDATE kafka_offset SET next_offset = $1', records.length);
}

const workOf = (): RereadTopicWork => {
  const { database, clock } = fixture;
  const again = new ReadAgainRepository(database, fixture.ingestKeys);
  const observer = { written: () => undefined, jobItems: () => undefined };
  return new RereadTopicWork(new RereadTopicRepository(database, again), reader, clock, observer);
};

const order = async (jobId: string, dryRun = false): Promise<void> => {
  const from = '2026-11-21T00:00:00Z';
  await fixture.order({ jobId, kind: 'reread-topic', program: null, request: { topic, from, dryRun } });
};

const reread = async (jobId: string, dryRun = false): Promise<Job> => {
  await order(jobId, dryRun);
  return fixture.finish(workOf(), jobId);
};

const counts = async (): Promise<object | undefined> => {
  const [row] = await fixture.sql<object>(
    `SELECT (SELECT count(*)::int FROM intent) AS intents, (SELECT count(*)::int FROM quarantine) AS aside,
       (SELECT count(*)::int FROM dead_letter_outbox) AS letters`,
  );
  return row;
};

describe('a topic that is read again', () => {
  it('has what was missed recorded and set aside, once: read once more it changes nothing', async () => {
    await missed(sale(0), sale(1, refused), sale(2), sale(3), sale(4));
    const planned = await reread('plan', true);
    expect(planned.progress).toMatchObject({ missed: 4, quarantined: 1, 'quarantine-invalid': 1, offsetsRead: 5 });
    expect(await counts()).toEqual({ intents: 0, aside: 0, letters: 0 });
    expect((await reread('go')).progress).toMatchObject({ records: 5, recorded: 4, quarantined: 1 });
    const after = await counts();
    expect(after).toEqual({ intents: 4, aside: 1, letters: 1 });
    expect((await reread('again')).progress).toMatchObject({ records: 5, knownByIdentity: 4, aside: 1 });
    expect(await counts()).toEqual(after);
  });

  it.each([0, 2, 4])('goes on where it stood when it is cut off before offset %d: the same result', async (cut) => {
    await missed(...Array.from({ length: 6 }, (_, offset) => sale(offset)));
    let isCut = false;
    reader.before = (offset) => {
      if (offset !== cut || isCut) return;
      isCut = true;
      throw new Error('the process was killed');
    };
    await order('go');
    await fixture.turn(workOf());
    await expect(fixture.turn(workOf())).rejects.toThrow('killed');
    expect(await new JobRepository(fixture.database).find('go')).toMatchObject({ progress: { offsetsRead: cut } });
    const { progress, report } = await fixture.finish(workOf(), 'go');
    expect(progress).toEqual({ offsets: 6, offsetsRead: 6, records: 6, recorded: 6 });
    expect(report).toMatchObject({ dryRun: false, parts: [{ topic, partition, from: 0, until: 6 }] });
    expect(await counts()).toEqual({ intents: 6, aside: 0, letters: 0 });
  });

  it('is stopped by a pause between two parts: of what comes then nothing is recorded', async () => {
    await missed(sale(0), sale(1), sale(2), sale(3));
    const jobs = new JobRepository(fixture.database);
    const audit = { at: fixture.clock.at, actor: 'ada', address: null, reason: 'later' };
    reader.before = async (offset) => {
      const job = { jobId: 'go', kind: 'reread-topic', program: null } as const;
      if (offset === 2) await jobs.steer({ job, steering: 'pause', audit, role: 'admin' });
    };
    await order('go');
    await fixture.turn(workOf());
    await fixture.turn(workOf());
    expect(await jobs.find('go')).toMatchObject({ state: 'paused', progress: { recorded: 2, offsetsRead: 2 } });
    expect(await counts()).toMatchObject({ intents: 2 });
  });

  it('has the one record set aside that the database refuses, and takes what came with it', async () => {
    await missed(sale(0), sale(1), sale(2, poisonous), sale(3));
    reader.partSize = 4;
    expect((await reread('go')).progress).toMatchObject({ records: 4, recorded: 3, quarantined: 1 });
    expect(await counts()).toMatchObject({ intents: 3, aside: 1 });
    expect(await fixture.sql('SELECT kafka_offset AS "offset", detail FROM quarantine')).toEqual([
      { offset: 2, detail: expect.stringMatching(/^record: \w+ failed \(22021\)$/) as string },
    ]);
  });

  it('leaves what ingest has not read to ingest', async () => {
    await missed(sale(0), sale(1), sale(2));
    await fixture.sql('UPDATE kafka_offset SET next_offset = 2');
    expect((await reread('go')).progress).toEqual({ offsets: 2, offsetsRead: 2, records: 2, recorded: 2 });
  });

  it('fails where the topic was created anew meanwhile: its offsets mean other records', async () => {
    await missed(sale(0), sale(1));
    await order('go');
    await fixture.turn(workOf());
    await fixture.sql(
      `INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset) VALUES ('c1', $1, 2, 0, 5)`,
      topic,
    );
    await expect(fixture.turn(workOf())).rejects.toThrow('created anew');
    expect(await counts()).toMatchObject({ intents: 0 });
  });
});
