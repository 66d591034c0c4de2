import { auditQuerySchema } from '#contracts';
import { AuditRepository } from '#intents';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { ZodPipe } from '../requests/read-request.js';
import { JobFixture } from '../testing/job-fixture.js';
import { AuditService } from './audit-service.js';

const ada = { name: 'ada', role: 'viewer', programs: null, address: '10.0.0.1' } as const;

describe('the audit', () => {
  let test: TestDatabase;
  let fixture: JobFixture;
  let audits: AuditRepository;
  let service: AuditService;

  beforeEach(async () => {
    test = await testDatabase();
    fixture = await JobFixture.open(test.url);
    audits = new AuditRepository(fixture.database);
    service = new AuditService(audits);
    for (const reason of ['one', 'two', 'three']) {
      const audit = { at: fixture.clock.at, actor: 'ada', address: null, reason };
      await audits.recordAccess({ audit, action: 'passes.list', place: null });
    }
  });

  afterEach(async () => {
    await fixture.close();
    await test.dispose();
  });

  it('is asked for a time, and for what was done to a member', async () => {
    const { at } = fixture.clock;
    const { lane_id: laneId } = (
      await queryOnce<{ lane_id: string }>(
        test.ownerUrl,
        `INSERT INTO member (program_id, member_id, created_at) VALUES ('tea', 'm-1', now()) RETURNING lane_id`,
      )
    )[0] ?? { lane_id: '' };
    const audit = { at: at + 60_000, actor: 'ada', address: null, reason: 'to m-1' };
    const place = { laneId: Number(laneId), seq: 0 };
    await audits.recordAccess({ audit, action: 'member.unmask', place });
    const reasons = async (query: object): Promise<readonly string[]> => {
      const { items } = await service.list(
        new ZodPipe(auditQuerySchema).transform({ limit: 10, ...query }),
        ada.programs,
      );
      return items.map(({ reason }) => reason);
    };
    const iso = (ms: number): string => new Date(ms).toISOString();
    expect(await reasons({ memberId: 'm-1' })).toEqual(['to m-1']);
    expect(await reasons({ memberId: 'm-2' })).toEqual([]);
    expect(await reasons({ from: iso(at + 1) })).toEqual(['to m-1']);
    expect(await reasons({ to: iso(at + 60_000) })).toEqual(['three', 'two', 'one']);
    expect(await reasons({ from: iso(at), to: iso(at + 60_001) })).toHaveLength(4);
  });
});
