import pg from 'pg';

import { testDatabase } from '#test-support';

import { AttemptRows, createAttemptTables } from './attempt-rows.js';
import { JobOpener, jobSealer } from './jobs.js';

const encryptionKey = Buffer.from([...Array(32).keys()]).toString('base64');
const jobs = [
  { member: 0, rank: 1 },
  { member: 1, rank: 1 },
  { member: 0, rank: 2 },
].map(jobSealer(encryptionKey));
const calls = jobs.map((job) => ({ job, posted: { path: '/x', body: '{"amount":1}', answer: '{"transactionId":1}' } }));

const eventsOf = async (session: pg.Client): Promise<object[]> => {
  const { rows } = await session.query<object>(
    `SELECT lane_id::int AS lane, seq, version, type, sealed IS NOT NULL AS "isSealed"
     FROM attempt_event ORDER BY lane_id, version`,
  );
  return rows;
};

describe('the attempt rows of a peer', () => {
  let session: pg.Client;
  let url: string;
  let dispose: () => Promise<void>;

  beforeEach(async () => {
    ({ url, dispose } = await testDatabase({ migrate: false }));
    await createAttemptTables(url);
    session = new pg.Client({ connectionString: url });
    await session.connect();
  });

  afterEach(async () => {
    await session.end();
    await dispose();
  });

  it('are one for each attempt; its begin is kept beside until the outcome is recorded', async () => {
    const rows = new AttemptRows(encryptionKey);
    const openCount = async (): Promise<number | null> => (await session.query('SELECT FROM attempt_open')).rowCount;
    await rows.begin(session, jobs);
    expect([await openCount(), (await eventsOf(session)).length]).toEqual([3, 0]);
    await rows.applied(session, calls);
    expect(await openCount()).toBe(0);
    expect(await eventsOf(session)).toEqual([
      { lane: 1, seq: 1, version: 1, type: 'AttemptApplied', isSealed: true },
      { lane: 1, seq: 2, version: 2, type: 'AttemptApplied', isSealed: true },
      { lane: 2, seq: 1, version: 1, type: 'AttemptApplied', isSealed: true },
    ]);
  });
});

it('has a payload that only opens with the key, at its own place', () => {
  const opener = new JobOpener(encryptionKey);
  for (const job of jobs) opener.open(job);
  const [first, second] = jobs;
  expect(() =>
    opener.open({ ...first, sealed: { ...first?.sealed, payload: second?.sealed?.payload } } as never),
  ).toThrow();
});
