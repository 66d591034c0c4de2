import type { JobRequest } from '#contracts';
import { erasedName, IngestKeys, MemberKeys } from '#intents';
import { Clock, Database } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { AccessSettings } from '../access/access-settings.js';
import type { Actor } from '../access/operator.js';
import type { ProblemDocument } from '../problems/api-problem.js';
import { ApiProblem } from '../problems/api-problem.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { JobFixture } from '../testing/job-fixture.js';
import { servicesOver } from '../testing/ports.js';
import { purchase } from '../testing/sample-records.js';
import { JobRequests } from './job-service.js';

const ada: Actor = { name: 'ada', role: 'admin', programs: null, address: '10.0.0.1' };
const reason = 'request of 21 November';

/** The problem that a request is answered with. */
async function problemOf(answer: Promise<unknown>): Promise<ProblemDocument> {
  const error = await answer.then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiProblem)) throw error;
  return error.document;
}

describe('jobs that are asked for with an id of the caller', () => {
  let test: TestDatabase;
  let fixture: JobFixture;
  let jobs: JobRequests;

  beforeAll(async () => {
    test = await testDatabase();
    fixture = await JobFixture.open(test.url);
    const { database, clock, keys, ingestKeys } = fixture;
    const file = {
      programs: { 'coffee-club': { brandId: 1, programId: 2 }, 'tea-club': { brandId: 1, programId: 3 } },
    };
    const services = await servicesOver([
      [AccessSettings, { isReadOnly: false }],
      [Clock, clock],
      [Database, database],
      [IngestKeys, ingestKeys],
      [MemberKeys, keys],
      [ProgramsControl, { file: () => file }],
    ]);
    jobs = services.get(JobRequests);
    await fixture.record([purchase('p-1', 'member-a'), purchase('p-2', 'member-b')]);
  });

  afterAll(async () => {
    await fixture.close();
    await test.dispose();
  });

  const erase = (memberId: string, change: { readonly reason?: string } = {}) =>
    jobs.create({ kind: 'erase', id: 'gdpr-7', program: 'coffee-club', reason, memberId, ...change }, ada);

  it('are the same job when they are asked for again, whatever reason is given then', async () => {
    const made = await erase('member-a');
    expect(await erase('member-a', { reason: 'once more' })).toEqual(made);
    await fixture.sql(`UPDATE job SET state = 'done' WHERE job_id = 'gdpr-7'`);
    expect(await erase('member-a')).toMatchObject({ id: 'gdpr-7', state: 'done' });
  });

  it('are the same job also once whom they name was erased, and stands there no more', async () => {
    await erase('member-a');
    const memberId = erasedName(fixture.ingestKeys.mac, 'member-a');
    await fixture.sql(`UPDATE job SET state = 'done', request = jsonb_build_object('memberId', $1::text)`, memberId);
    expect(await erase('member-a')).toMatchObject({ id: 'gdpr-7', state: 'done', request: { memberId } });
    expect(await problemOf(erase('member-b'))).toMatchObject({ status: 409 });
  });

  it('never stand for what somebody else asked for: another member is not reported as erased', async () => {
    await erase('member-a');
    const reread = (program: string) =>
      jobs.create({ kind: 'reread', id: 'again', program, reason, dryRun: true }, ada);
    await reread('coffee-club');
    for (const ask of [() => erase('member-b'), () => reread('tea-club')]) {
      const problem = await problemOf(ask());
      expect(problem).toMatchObject({ status: 409, type: 'urn:loyaltyd:problem:id-taken' });
      expect(JSON.stringify(problem)).not.toMatch(/member-|coffee|tea|ada/);
    }
  });

  it.each([
    ['provision', { apply: false }, { apply: true }],
    ['reconcile', { repair: false }, { repair: true }],
  ] as const)('never do what was only looked at: %s', async (kind, look, mend) => {
    const create = (what: object) =>
      jobs.create({ kind, id: kind, program: 'coffee-club', reason, ...what } as JobRequest, ada);
    expect(await create(look)).toMatchObject({ request: look });
    expect(await problemOf(create(mend))).toMatchObject({ status: 409 });
    expect(await create(look)).toMatchObject({ request: look });
  });
});
