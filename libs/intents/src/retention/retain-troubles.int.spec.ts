import { claim, completion, deliverOne, leaseOf, record, stepOf } from '../testing/lease.js';
import { cancelling, enrolment, laneOf, purchase, purchaseKey, Till, update } from '../testing/records.js';
import { Retaining } from '../testing/retaining.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';
import type { ExpiringLane } from './expiring-intents.js';
import { gatherExpiring, oldestRecording } from './expiring-intents.js';
import { retainIntents } from './retain.js';
import type { RetentionHold, RetentionReport } from './retention-run.js';
import { fenceRetention, RetentionStoppedError } from './retention-run.js';

let store: TestStore;
let till: Till;
let retaining: Retaining;

beforeEach(async () => {
  store = await testStore(2);
  till = new Till(store);
  retaining = await Retaining.open(store);
});

afterEach(async () => {
  await retaining.close();
  await store.close();
});

const nothing = async (): Promise<void> => undefined;

async function delivered(...members: readonly string[]): Promise<void> {
  for (const member of members) {
    await till.record(enrolment(`e-${member}`, member), purchase(`p-${member}`, member));
    await deliverOne(store);
    await deliverOne(store);
  }
}

async function seqs(): Promise<number[]> {
  return (await store.sql<{ seq: number }>('SELECT seq FROM intent ORDER BY lane_id, seq')).map(({ seq }) => seq);
}

/** A run whose lease is as the spec says. */
async function retainWith(hold: Partial<RetentionHold>): Promise<RetentionReport> {
  await store.sql('UPDATE tally_checkpoint SET pos = (SELECT last_value FROM event_pos_seq)');
  await store.sql('UPDATE projection_checkpoint SET pos = (SELECT last_value FROM event_pos_seq)');
  const { database, random } = store;
  const clock = { now: () => retaining.at };
  const tools = { database, random, clock, folder: retaining.folder, stillOurs: nothing, fence: nothing };
  return retainIntents({ ...tools, ...hold }, 30);
}

it('keeps an opt-out that is behind the last enrolment: it forbids to issue the card again', async () => {
  const optOut = { ...update('o', 'm'), type: 'loyalty.member.opted-out.v1' };
  await till.record(enrolment('e', 'm'), optOut, purchase('p', 'm'));
  for (let left = 3; left > 0; left -= 1) await deliverOne(store);
  expect(await retaining.run()).toMatchObject({ intents: 1 });
  expect(await seqs()).toEqual([1, 2]);
});

it('leaves no file behind that could not be made known', async () => {
  await delivered('m');
  await store.sql('ALTER TABLE archive ADD CONSTRAINT refused CHECK (bytes < 0)');
  await expect(retaining.run()).rejects.toMatchObject({ sqlState: '23514' });
  expect(await retaining.files()).toEqual([]);
});

it('lets no more leave once an export has begun meanwhile', async () => {
  await delivered('m');
  const begin = async (): Promise<void> => {
    await store.sql(
      `INSERT INTO job (job_id, kind, request, reason, state, created_at, created_by)
       VALUES ('x1', 'export', '{}', 'x', 'waiting', '2026-01-01', 'ada') ON CONFLICT DO NOTHING`,
    );
  };
  expect(await retainWith({ stillOurs: begin })).toMatchObject({ intents: 0, heldBy: 'the export x1 is not over' });
  expect(await seqs()).toEqual([1, 2]);
});

it('lets nothing leave once another process has taken over', async () => {
  await delivered('m');
  await store.sql('UPDATE retention_run SET owner = $1::uuid', store.random.uuid());
  const fence: RetentionHold['fence'] = (session) => fenceRetention(session, store.random.uuid());
  await expect(retainWith({ fence })).rejects.toThrow(RetentionStoppedError);
  expect(await seqs()).toEqual([1, 2]);
});

it('goes on with the other lanes where one fails, and tells of it', async () => {
  await delivered('m', 'n');
  const { lane_id: laneId } = await laneOf(store, 'm');
  await store.sql(`ALTER TABLE lane_archive ADD CONSTRAINT refused CHECK (lane_id <> ${laneId})`);
  const failure = expect.stringContaining('record_lane_archive') as string;
  expect(await retaining.run()).toMatchObject({ intents: 1, lanesFailed: 1, failure });
  expect(await seqs()).toEqual([1, 2, 1]);
});

describe('a look for what may leave', () => {
  const limits = (): { before: number; upTo: number } => ({ before: retaining.at, upTo: Number.MAX_SAFE_INTEGER });

  it('ends when the run does, also where nothing leaves', async () => {
    await till.record(enrolment('e', 'm'));
    const stillOurs = async (): Promise<void> => {
      throw new RetentionStoppedError('the process ends');
    };
    const request = { limits: limits(), after: oldestRecording, intentsMax: 1, take: nothing, stillOurs };
    await expect(gatherExpiring(store.database, request)).rejects.toThrow('the process ends');
  });

  it('ends within a page of recordings when enough came together, and goes on from there', async () => {
    const members = Array.from({ length: 51 }, (_, index) => `m-${index}`);
    await till.record(...members.map((member) => purchase(`p-${member}`, member)));
    await till.record(...members.map((member) => cancelling(`v-${member}`, member, purchaseKey(`p-${member}`))));
    for (const lane of await claim(store)) {
      const lease = leaseOf(lane);
      await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [] }) }));
    }
    const taken: number[] = [];
    const take = async (lanes: readonly ExpiringLane[]): Promise<void> => {
      taken.push(...lanes.map(({ laneId }) => laneId));
    };
    const request = { limits: limits(), intentsMax: 1, take, stillOurs: nothing };
    const first = await gatherExpiring(store.database, { ...request, after: oldestRecording });
    expect(first).toMatchObject({ intents: 50, next: { laneId: taken.at(-1) } });
    const after = first.next ?? oldestRecording;
    expect(await gatherExpiring(store.database, { ...request, after })).toMatchObject({ intents: 1 });
    expect(new Set(taken).size).toBe(51);
  });
});
