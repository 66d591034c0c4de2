import { auditChainQuerySchema, auditQuerySchema } from '#contracts';
import type { AuditChainPage, AuditPage } from '#contracts';
import { auditAccess, ChainCheck, ChainKeeper } from '#intents';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import type { ApiSettings } from '../api-settings.js';
import { ZodPipe } from '../requests/read-request.js';
import { JobFixture } from '../testing/job-fixture.js';
import { AuditController } from './audit.controller.js';

const ada = { name: 'ada', role: 'viewer', programs: null, address: '10.0.0.1' } as const;

describe('the audit', () => {
  let test: TestDatabase;
  let fixture: JobFixture;
  let controller: AuditController;

  beforeEach(async () => {
    test = await testDatabase();
    fixture = await JobFixture.open(test.url);
    controller = new AuditController({ database: fixture.database } as unknown as ApiSettings);
    for (const reason of ['one', 'two', 'three']) {
      const audit = { at: fixture.clock.at, actor: 'ada', address: null, reason };
      await auditAccess(fixture.database, { audit, action: 'passes.list', place: null });
    }
  });

  afterEach(async () => {
    await fixture.close();
    await test.dispose();
  });

  const chainNow = async (): Promise<unknown> => {
    const { database, clock } = fixture;
    return new ChainKeeper({ database, clock, moved: () => undefined, changed: () => undefined }).step();
  };
  const list = (): Promise<AuditPage> => controller.list(new ZodPipe(auditQuerySchema).transform({ limit: 2 }), ada);
  const chain = (query: object): Promise<AuditChainPage> =>
    controller.chain(new ZodPipe(auditChainQuerySchema).transform(query));

  it('says of each action whether it has its link, and where the chain ends', async () => {
    expect(await list()).toMatchObject({
      items: [{ reason: 'three', link: null }, { link: null }],
      chain: { head: expect.stringMatching(/^0:/) as string, waiting: 3 },
    });
    await chainNow();
    expect(await list()).toMatchObject({
      items: [{ reason: 'three', link: 3 }, { link: 2 }],
      chain: { head: expect.stringMatching(/^3:[\da-f]{64}$/) as string, waiting: 0 },
    });
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
    await auditAccess(fixture.database, { audit, action: 'member.unmask', place });
    const reasons = async (query: object): Promise<readonly string[]> => {
      const { items } = await controller.list(new ZodPipe(auditQuerySchema).transform({ limit: 10, ...query }), ada);
      return items.map(({ reason }) => reason);
    };
    const iso = (ms: number): string => new Date(ms).toISOString();
    expect(await reasons({ memberId: 'm-1' })).toEqual(['to m-1']);
    expect(await reasons({ memberId: 'm-2' })).toEqual([]);
    expect(await reasons({ from: iso(at + 1) })).toEqual(['to m-1']);
    expect(await reasons({ to: iso(at + 60_000) })).toEqual(['three', 'two', 'one']);
    expect(await reasons({ from: iso(at), to: iso(at + 60_001) })).toHaveLength(4);
  });

  it.each([1, 2, 4, 500])('shows the chain from its start, %i links at a time', async (limit) => {
    await chainNow();
    await queryOnce(
      test.ownerUrl,
      `ALTER TABLE operator_action DISABLE TRIGGER USER;
       UPDATE operator_action SET reason = 'other' WHERE action_id = 2;
       INSERT INTO operator_action (at, actor, action, reason) VALUES (now(), 'ada', 'a', 'forged');
       ALTER TABLE operator_action ENABLE TRIGGER USER`,
    );
    const check = new ChainCheck();
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
      const page: AuditChainPage = await chain({ limit, cursor });
      for (const link of page.items) check.add(link);
      for (const stray of page.strays) check.addStray(stray);
      cursor = page.nextCursor;
    }
    check.end();
    expect(pages).toBe(Math.floor(4 / limit) + 1);
    expect(check.findings).toEqual([
      'action 2 is not as link 2 covers it: one of them was changed',
      expect.stringContaining('action 4 is in no link') as string,
    ]);
  });

  it.each(['x', '1', '-1_2', '1_2_3', '9999999999999999_1'])('refuses the cursor %s', async (cursor) => {
    await expect(chain({ cursor })).rejects.toMatchObject({ options: { status: 400, code: 'invalid-request' } });
  });
});
