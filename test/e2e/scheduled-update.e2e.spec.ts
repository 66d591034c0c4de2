import { waitUntil } from '#embedded';

import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import type { LedgerEntry } from './partner.js';
import { readLedger } from './partner.js';
import { readIntentStatuses } from './store.js';
import { emission, enrolled, produce } from './traffic.js';

const scheduling = `${programsFile.replace(/update: \{.*/, 'update: { via: schedule }')}
    dialect: { schedule: { changeProperty: update, leadMs: 1000 } }
`;

describe('a program whose updates are scheduled', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness(scheduling);
    await harness.startDaemon();
  });

  afterAll(async () => {
    await harness.close();
  });

  async function changesOf(memberId: string, count: number): Promise<string[]> {
    const entries = await waitUntil(
      async () => {
        const all = await readLedger(harness.sandboxUrl);
        const own = all.filter(({ uniqueId }: LedgerEntry) => uniqueId === memberId);
        return own.length >= count ? own : undefined;
      },
      { what: `${count} effects for ${memberId}`, timeoutMs: 60_000 },
    );
    return entries.map(({ operation }) => operation);
  }

  it('sends an update and an opt-out as schedules for the member alone, and the partner carries them out', async () => {
    const updated = emission('members', 'member.updated', {
      id: 'u-1',
      memberId: 's-1',
      changed: ['tier', 'pass.points'],
      tier: 'gold',
      pass: { points: 120 },
    });
    const optedOut = emission('members', 'member.opted-out', { id: 'o-1', memberId: 's-1', scope: 'wallet' });
    await produce(harness.broker, harness.topics, [enrolled('s-2'), enrolled('s-1'), updated, optedOut]);
    const operations = await changesOf('s-1', 5);
    expect(operations.toSorted()).toEqual([
      'issue',
      'schedule-update',
      'schedule-update',
      'scheduled-change',
      'scheduled-change',
    ]);
    expect(operations[0]).toBe('issue');
    expect(await changesOf('s-2', 1)).toEqual(['issue']);
    const standings = await readIntentStatuses(harness.database.url);
    expect(standings.map(({ memberId, operation, lastEvent }) => [memberId, operation, lastEvent])).toEqual([
      ['s-1', 'issue', 'AttemptApplied'],
      ['s-1', 'schedule-update', 'AttemptApplied'],
      ['s-1', 'schedule-update', 'AttemptApplied'],
      ['s-2', 'issue', 'AttemptApplied'],
    ]);
  });
});
