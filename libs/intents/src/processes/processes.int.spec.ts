import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { now } from '../testing/records.js';
import { openTestStore } from '../testing/test-store.js';
import type { TestStore } from '../testing/test-store.js';
import { giveSign } from './give-sign.js';
import { leaveProcess } from './leave-process.js';
import { listProcesses } from './list-processes.js';
import type { ProcessSign } from './process-sign.js';
import { processGoneMs, processKeptMs } from './process-sign.js';

let test: TestDatabase;
let store: TestStore;

beforeEach(async () => {
  test = await testDatabase();
  store = await openTestStore(test.url, 2);
});

afterEach(async () => {
  await store.close();
  await test.dispose();
});

function sign(digit: number, change: Partial<ProcessSign> = {}): ProcessSign {
  const processId = `00000000-0000-4000-8000-00000000000${digit}`;
  const roles = ['ingest', 'operations'];
  return {
    processId,
    host: `pod-${digit}`,
    roles,
    programsHash: Buffer.from([digit]),
    startedAt: now + digit,
    ...change,
  };
}

describe('a process', () => {
  it('is told with its roles and programs file from its first sign until it leaves', async () => {
    await giveSign(store.database, sign(2), now);
    await giveSign(store.database, sign(1), now);
    const reread = sign(2, { programsHash: Buffer.from([9]) });
    await giveSign(store.database, reread, now + 5);
    expect(await listProcesses(store.database, now + 5)).toEqual([
      { ...sign(1), seenAt: now },
      { ...reread, seenAt: now + 5 },
    ]);
    await leaveProcess(store.database, sign(1).processId);
    expect(await listProcesses(store.database, now + 5)).toMatchObject([{ host: 'pod-2' }]);
  });

  it('counts as gone without signs, and is forgotten later', async () => {
    await giveSign(store.database, sign(1), now);
    await giveSign(store.database, sign(2), now + processGoneMs);
    expect(await listProcesses(store.database, now + processGoneMs)).toMatchObject([{ host: 'pod-2' }]);
    await giveSign(store.database, sign(3), now + processKeptMs + 1);
    expect(await store.sql('SELECT host FROM process ORDER BY 1')).toEqual([{ host: 'pod-2' }, { host: 'pod-3' }]);
  });
});
