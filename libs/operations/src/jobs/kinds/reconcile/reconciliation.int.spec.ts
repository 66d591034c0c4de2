import { JobItemRepository } from '../../job-items.js';
import type { Job } from '../../job-repository.js';
import { JobRepository } from '../../job-repository.js';
import { ReadingFixture } from '../../../testing/reading-fixture.js';
import { passOf } from '../../../testing/scripted-listings.js';
import { ReconciliationWork } from './reconciliation-work.js';

let fixture: ReadingFixture;

beforeEach(async () => {
  fixture = await ReadingFixture.open();
});

afterEach(async () => {
  await fixture.close();
});

/** Members whose passes were issued by us, some time ago, and are listed. */
async function issued(...memberIds: string[]): Promise<void> {
  fixture.partner.passes.push(...memberIds.map((memberId) => passOf(memberId)));
  await fixture.enrol(...memberIds.map((memberId) => [memberId, { tierId: 1, passdata: { points: 0 } }] as const));
  await fixture.deliver();
  await fixture.clock.sleep(10_000);
}

async function reconcile(repair = false, jobId = 'r1'): Promise<Job> {
  await fixture.job(jobId, 'reconcile', { repair });
  return fixture.run(new ReconciliationWork(fixture.tools), jobId);
}

const unlist = (memberId: string): void => {
  fixture.partner.passes = fixture.partner.passes.filter((pass) => pass.passdata?.metaData?.['memberId'] !== memberId);
};

const lookups = (): unknown[] => fixture.partner.calls.filter(({ kind }) => kind !== 'page').map(({ what }) => what);

async function historyOf(memberId: string): Promise<string[]> {
  const rows = await fixture.sql<{ line: string }>(
    `SELECT e.seq || ' ' || e.type AS line FROM intent_history e JOIN member USING (lane_id) WHERE member_id = $1 ORDER BY version`,
    memberId,
  );
  return rows.map(({ line }) => line);
}

describe('a reconciliation', () => {
  it('finds nothing where both sides agree, and looks nobody up', async () => {
    await issued('a', 'b', 'c', 'd');
    const { report } = await reconcile();
    expect(report).toMatchObject({ agrees: true, pages: 2, rows: 4, matched: 4, repaired: null });
    expect(report).toMatchObject({ findings: { missingThere: 0, missingHere: 0, differing: 0, unknownMember: 0 } });
    expect(lookups()).toEqual([]);
    expect(await fixture.lines('r1')).toEqual([]);
    expect(await fixture.sql('SELECT FROM reconciliation_seen')).toEqual([]);
  });

  it('finds what is planted, each of its kind, and nothing else', async () => {
    await issued('same', 'missing-there', 'differs', 'twice', 'third');
    await fixture.enrol(['missing-here']);
    await fixture.sql(`UPDATE lane SET due_at = NULL, head_seq = 2, cur_seq = 2 FROM member m
      WHERE m.lane_id = lane.lane_id AND member_id = 'missing-here'`);
    unlist('missing-there');
    fixture.partner.passes = fixture.partner.passes.map((pass) =>
      pass.serialNumber === 'serial-differs'
        ? { ...pass, templateTierId: 2, passdata: { ...pass.passdata, points: 9 } }
        : pass,
    );
    fixture.partner.passes.push(
      passOf('missing-here', { passId: 5 }),
      passOf('nobody', { passId: 6 }),
      passOf('twice', { passId: 7, serialNumber: 'second' }),
      { passId: 8, serialNumber: 'foreign' },
    );
    const { report } = await reconcile();
    expect(report).toMatchObject({
      findings: {
        ...{ missingThere: 1, missingHere: 1, differing: 2, unknownMember: 1, duplicateThere: 1 },
        ...{ unconfirmed: 0, withoutMemberId: 1 },
      },
    });
    expect(await fixture.lines('r1')).toEqual([
      { kind: 'differing', memberId: 'differs', paths: ['templateTierId', 'passdata.points'] },
      { kind: 'unknown-member', memberId: 'nobody', passId: 6 },
      { kind: 'missing-here', memberId: 'missing-here', passId: 5, enrolment: 'delivered', repair: null },
      { kind: 'without-member-id', passId: 8 },
      { kind: 'differing', memberId: 'twice', paths: ['serialNumber'] },
      { kind: 'duplicate-there', memberId: 'twice', passId: 7 },
      { kind: 'missing-there', memberId: 'missing-there', repair: null },
    ]);
    expect(lookups()).toEqual(['missing-there']);
    expect(await historyOf('missing-there')).toEqual(['1 AttemptBegun', '1 AttemptApplied']);
  });

  it('regression: says of a further pass that its member was never seen, so that nobody looks for them', async () => {
    fixture.partner.passes.push(
      passOf('nobody', { passId: 6 }),
      passOf('nobody', { passId: 7, serialNumber: 'second' }),
    );
    await reconcile();
    expect(await fixture.lines('r1')).toEqual([
      { kind: 'duplicate-there', memberId: 'nobody', passId: 7, isKnown: false },
      { kind: 'unknown-member', memberId: 'nobody', passId: 6 },
    ]);
  });

  it('of a part of the listing compares that part, and concludes nothing from what it does not show', async () => {
    await issued('shown', 'elsewhere');
    unlist('elsewhere');
    fixture.partner.passes = fixture.partner.passes.map((pass) => ({ ...pass, templateTierId: 2 }));
    const filter = { updatedSince: '2026-11-20T00:00:00.000Z', status: 'ACTIVE', tier: 2, template: 11 };
    await fixture.job('r1', 'reconcile', { repair: true, ...filter });
    const { report } = await fixture.run(new ReconciliationWork(fixture.tools), 'r1');
    expect(fixture.partner.lastQuery).toMatchObject({
      lastUpdatedFromMs: Date.parse(filter.updatedSince),
      status: { code: 'ACTIVE' },
      templateTierId: 2,
      templateId: 11,
    });
    expect(report).toMatchObject({ isPartial: true, findings: { missingThere: 0, differing: 1 } });
    expect(lookups()).toEqual([]);
    expect(await fixture.sql('SELECT FROM reconciliation_seen')).toEqual([]);
  });

  it('names a card that is none any more by its status, and a repair gives a new one', async () => {
    await issued('well', 'dead');
    const die = (memberId: string): void => {
      fixture.partner.passes = fixture.partner.passes.map((pass) =>
        pass.serialNumber === `serial-${memberId}` ? { ...pass, statusCode: 'DELETED', isDead: true } : pass,
      );
    };
    die('dead');
    await fixture.job('r0', 'reconcile', { status: 'DELETED' });
    const { report: part } = await fixture.run(new ReconciliationWork(fixture.tools), 'r0');
    expect(part).toMatchObject({ findings: { missingThere: 0, differing: 1 } });
    expect(await fixture.lines('r0')).toEqual([{ kind: 'differing', memberId: 'dead', paths: ['statusCode'] }]);
    await fixture.job('r1', 'reconcile', { repair: true });
    const { report } = await fixture.run(new ReconciliationWork(fixture.tools), 'r1');
    expect(report).toMatchObject({ findings: { missingThere: 1 }, repaired: { issuedAnew: 1 } });
    expect(await fixture.lines('r1')).toEqual([{ kind: 'missing-there', memberId: 'dead', repair: 'issued-anew' }]);
  });

  it('reports no pass as missing that a lookup finds', async () => {
    await issued('a', 'shifted');
    fixture.partner.unlisted = fixture.partner.passes.filter(({ serialNumber }) => serialNumber === 'serial-shifted');
    unlist('shifted');
    const { report } = await reconcile();
    expect(report).toMatchObject({ findings: { missingThere: 0 }, notJudged: { listedLate: 1 } });
  });

  it('judges nothing that is on its way', async () => {
    await fixture.enrol(['pending']);
    fixture.partner.passes.push(passOf('pending'));
    fixture.partner.passes.push(passOf('just-now', { templateTierId: 2 }));
    await fixture.enrol(['just-now', { tierId: 1 }]);
    await fixture.sql(
      `UPDATE lane SET due_at = NULL FROM member m WHERE m.lane_id = lane.lane_id AND member_id = 'pending'`,
    );
    await fixture.deliver();
    const { report } = await reconcile();
    expect(report).toMatchObject({
      findings: { missingHere: 0, differing: 0 },
      notJudged: { underWay: 1, inFlux: 1 },
    });
  });

  it('asks no more often than it was told to', async () => {
    fixture.partner.passes = Array.from({ length: 9 }, (_, index) => passOf(`m${index}`));
    await fixture.job('r1', 'reconcile', { repair: false }, { ratePerSecond: 0.25, isCanary: false });
    await fixture.run(new ReconciliationWork(fixture.tools), 'r1');
    const times = fixture.partner.calls.map(({ at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)))).toBeGreaterThanOrEqual(4_000);
  });

  it('does not miss who came while pages were turned', async () => {
    await issued('a');
    await fixture.job('r1', 'reconcile');
    await fixture.enrol(['new']);
    await fixture.deliver();
    const { report } = await fixture.run(new ReconciliationWork(fixture.tools), 'r1');
    expect(report).toMatchObject({ findings: { missingThere: 0 }, notJudged: { newMeanwhile: 1 } });
    expect(lookups()).toEqual([]);
  });

  it('leaves alone who has left', async () => {
    await issued('gone');
    await fixture.sql('DELETE FROM member_key');
    fixture.partner.passes = [];
    const { report } = await reconcile();
    expect(report).toMatchObject({ findings: { missingThere: 0 }, notJudged: { left: 1 } });
    expect(lookups()).toEqual([]);
  });

  it('goes on after a kill at the page and at the member where it was, and counts nobody twice', async () => {
    const all = Array.from({ length: 9 }, (_, index) => `m${index}`);
    await issued(...all);
    for (const memberId of ['m1', 'm4', 'm7']) unlist(memberId);
    await fixture.job('r1', 'reconcile');
    for (let turns = 0; turns < 4; turns += 1) {
      await fixture.turn(new ReconciliationWork(fixture.tools), 'r1', false);
      await fixture.turn(new ReconciliationWork(fixture.tools), 'r1');
    }
    const { report, progress } = await fixture.run(new ReconciliationWork(fixture.tools), 'r1');
    expect(report).toMatchObject({
      agrees: true,
      rows: 6,
      matched: 6,
      findings: { missingThere: 3, duplicateThere: 0 },
    });
    expect(progress['listedAgain']).toBeUndefined();
    expect(await fixture.lines('r1')).toHaveLength(3);
  });

  it('stops at a partner in trouble, keeps what it has, and says of whom it could find out nothing', async () => {
    await issued('a', 'b', 'c');
    fixture.partner.passes = [];
    let troubles = 2;
    fixture.partner.trouble = ({ kind, what }) => {
      if (kind === 'page' || what === 'a') return null;
      if (what === 'c') return { stage: 'answer', code: 'several-passes', retryAfterMs: null };
      troubles -= 1;
      return troubles < 0 ? null : { stage: 'exchange', code: 'timeout', retryAfterMs: null };
    };
    const { report } = await reconcile();
    expect(report).toMatchObject({ findings: { missingThere: 2, unconfirmed: 1 } });
    expect(lookups()).toEqual(['a', 'b', 'b', 'b', 'c']);
    expect(await fixture.lines('r1')).toContainEqual({ kind: 'unconfirmed', memberId: 'c', code: 'several-passes' });
  });

  it('forgets what a cancelled one has seen', async () => {
    await issued('a', 'b', 'c', 'd');
    const job = await fixture.job('r0', 'reconcile');
    await fixture.turn(new ReconciliationWork(fixture.tools), 'r0');
    expect(await fixture.sql('SELECT FROM reconciliation_seen')).toHaveLength(3);
    const audit = { at: fixture.clock.now(), actor: 'ada', address: null, reason: 'spec' };
    await new JobRepository(fixture.database).steer({ job, steering: 'cancel', audit, role: 'admin' });
    await fixture.clock.sleep(60_000);
    await reconcile();
    expect(await fixture.sql('SELECT FROM reconciliation_seen')).toEqual([]);
    expect(await fixture.sql('SELECT FROM reconciliation')).toEqual([]);
  });
});

describe('a reconciliation that repairs', () => {
  it('has a pass issued anew that a lookup and a count deny, once', async () => {
    await issued('a', 'b');
    unlist('b');
    const { report } = await reconcile(true);
    expect(report).toMatchObject({ findings: { missingThere: 1 }, repaired: { issuedAnew: 1, adopted: 0 } });
    expect(await fixture.lines('r1')).toEqual([{ kind: 'missing-there', memberId: 'b', repair: 'issued-anew' }]);
    expect(lookups()).toEqual(['b', 'b']);
    expect(await historyOf('b')).toEqual(['1 AttemptBegun', '1 AttemptApplied', '1 IntentReissued']);
    // Until it is delivered again nothing is known of a pass, hence nothing is missing.
    await reconcile(true, 'r2');
    expect((await historyOf('b')).filter((line) => line === '1 IntentReissued')).toHaveLength(1);
    const audit = await fixture.sql(`SELECT actor, reason FROM operator_action WHERE action = 'reconcile.reissue'`);
    expect(audit).toEqual([{ actor: 'ada', reason: 'the partner was there before us' }]);
  });

  describe('with a canary', () => {
    beforeEach(async () => {
      await issued('a', 'b', 'c');
      fixture.partner.passes = [];
      await fixture.job('r1', 'reconcile', { repair: true }, { ratePerSecond: null, isCanary: true });
    });

    /** How it is after so many turns, or seconds in which it has none. */
    async function after(turns: number): Promise<Job | null> {
      const work = new ReconciliationWork(fixture.tools);
      for (let made = 0; made < turns; made += 1) {
        if ((await fixture.turn(work, 'r1')) === null) await fixture.clock.sleep(1_000);
      }
      return new JobRepository(fixture.database).find('r1');
    }

    it('has one issued anew first, and more only once that is delivered; each is an item of the job', async () => {
      expect(await after(20)).toMatchObject({ state: 'running', progress: { missingThere: 1, issuedAnew: 1 } });
      await fixture.deliver();
      const done = { progress: { missingThere: 3, issuedAnew: 3 }, selection: { items: 3, members: 3 } };
      expect(await after(20)).toMatchObject({ state: 'done', ...done });
      const items = await new JobItemRepository(fixture.database).list({
        jobId: 'r1',
        after: 0,
        state: null,
        limit: 9,
      });
      expect(items.map(({ memberId, state }) => `${memberId} ${state}`)).toEqual(['a delivered', 'b sent', 'c sent']);
    });

    it('stops where that is refused', async () => {
      await after(20);
      await fixture.deliver(true);
      const stopped = { state: 'stopped', error: 'the one that was sent failed', progress: { issuedAnew: 1 } };
      expect(await after(20)).toMatchObject(stopped);
    });
  });

  it('issues nothing anew where the count speaks against the lookup', async () => {
    await issued('a');
    const [pass] = fixture.partner.passes.splice(0);
    const { findPass } = fixture.partner;
    fixture.partner.unlisted = [pass!];
    fixture.partner.findPass = async (lookup) => {
      const report = await findPass.call(fixture.partner, lookup);
      return { kind: 'absent', evidence: report.evidence };
    };
    const { report } = await reconcile(true);
    expect(report).toMatchObject({ findings: { missingThere: 0, unconfirmed: 1 }, repaired: { issuedAnew: 0 } });
    expect(await historyOf('a')).toEqual(['1 AttemptBegun', '1 AttemptApplied']);
  });

  // What is sent anew is planned by the programs file of now, so that it goes where the lookup has found nothing.
  it('issues anew where the file names another place than the members enrolled in', async () => {
    await issued('a');
    fixture.moveTo({ programId: '2002' });
    fixture.partner.passes = [];
    const { report } = await reconcile(true);
    expect(report).toMatchObject({ findings: { missingThere: 1, unconfirmed: 0 }, repaired: { issuedAnew: 1 } });
    expect(await fixture.lines('r1')).toEqual([{ kind: 'missing-there', memberId: 'a', repair: 'issued-anew' }]);
  });

  it('takes over what is missing here, and says where it cannot issue anew', async () => {
    fixture.partner.passes = [passOf('found')];
    await fixture.enrol(['found']);
    await fixture.sql('UPDATE lane SET due_at = NULL, head_seq = 2, cur_seq = 2');
    const { report } = await reconcile(true);
    expect(report).toMatchObject({ findings: { missingHere: 1 }, repaired: { adopted: 1 } });
    expect(await historyOf('found')).toEqual(['0 PassAdopted']);
    await fixture.sql('UPDATE lane SET issue_seq = NULL');
    await fixture.clock.sleep(60_000);
    fixture.partner.passes = [];
    await reconcile(true, 'r2');
    expect(await fixture.lines('r2')).toEqual([{ kind: 'missing-there', memberId: 'found', repair: 'no-enrolment' }]);
  });
});
