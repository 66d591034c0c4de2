import type { JobItemView, JobView } from '#contracts';
import { jobRequestSchema, parseProgramsFile } from '#contracts';
import { IngestKeys, MemberKeys } from '#intents';
import { Clock, Database } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';
import type { TestingModule } from '@nestjs/testing';

import type { Actor } from '../access/operator.js';
import type { JobWork } from '../jobs/job-runner.js';
import { JobItems, JobRequests, JobService } from '../jobs/job-service.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { ZodPipe } from '../requests/read-request.js';
import { JobFixture } from './job-fixture.js';
import type { Ports } from './ports.js';
import { noPrograms, servicesOver } from './ports.js';

export const bob: Actor = { name: 'bob', role: 'operator', programs: null, address: '10.0.0.2' };
export const eve: Actor = { name: 'eve', role: 'admin', programs: null, address: '10.0.0.3' };

const programsText = `
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: { via: issue }
    purchases:
      completed: { transactionTypeId: "31", attributes: { receipt: purchaseId, campaign: attributes.campaign }, uniqueAttribute: receipt, uniqueEnforced: true }
    rewards: { free-coffee: "9001" }
    inFlightMs: 2000
`;

/** What operators do with many, over a database of its own, by a program that maps a campaign. */
export class ManyFixture {
  private constructor(
    private readonly test: TestDatabase,
    readonly fixture: JobFixture,
    private readonly services: TestingModule,
  ) {}

  /** @param ports besides those that every such action needs */
  static async open(ports: Ports = []): Promise<ManyFixture> {
    const parsed = parseProgramsFile(programsText);
    if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
    const file = parsed.value;
    const test = await testDatabase();
    const fixture = await JobFixture.open(test.url);
    const { database, clock, keys, ingestKeys } = fixture;
    const services = await servicesOver([
      [Clock, clock],
      [Database, database],
      [IngestKeys, ingestKeys],
      [MemberKeys, keys],
      [ProgramsControl, { file: () => file, inForce: () => noPrograms.inForce() }],
      ...ports,
    ]);
    return new ManyFixture(test, fixture, services);
  }

  async close(): Promise<void> {
    await this.fixture.close();
    await this.test.dispose();
  }

  /** A service of the operations API. */
  service<T>(of: abstract new (...args: never[]) => T): T {
    return this.services.get<T>(of);
  }

  async plan(body: object, actor: Actor = bob): Promise<JobView> {
    return this.services
      .get(JobRequests)
      .create(new ZodPipe(jobRequestSchema).transform({ reason: 'the till was wrong', ...body }), actor);
  }

  async start(id: string, asked: object, actor: Actor = bob): Promise<JobView> {
    return this.services.get(JobService).start(id, { reason: 'all were looked at', ...asked }, actor);
  }

  async cancel(id: string): Promise<JobView> {
    return this.services.get(JobService).steer(id, 'cancel', { actor: eve, reason: 'not wanted' });
  }

  one(id: string): Promise<JobView> {
    return this.services.get(JobService).one(id, eve);
  }

  async items(id: string, requests = false): Promise<JobItemView[]> {
    return (await this.services.get(JobItems).list(id, { limit: 500, requests }, eve)).items;
  }

  /** So many turns of a job's kind. */
  async turns(work: abstract new (...args: never[]) => JobWork, count = 4): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      await this.fixture.turn(this.services.get<JobWork>(work));
      this.fixture.clock.at += 1_000;
    }
  }

  /** Intents by member, as they stand: `parked rejected`. */
  async standings(): Promise<Readonly<Record<string, string>>> {
    const rows = await this.fixture.sql<{ member: string; standing: string }>(
      `SELECT m.member_id AS member, CASE s.status WHEN 'cancelled' THEN s.status ELSE COALESCE(NULLIF(concat_ws(' ', s.status, s.reason), ''), 'open') END AS standing
       FROM intent i JOIN member m USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq) ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ member, standing }) => [member, standing]));
  }
}

/** What became of a request that was refused: `422 count-differs`. */
export async function refusalOf(asked: Promise<unknown>): Promise<string> {
  const problem: unknown = await asked.then(
    () => ({ options: { status: 200, code: 'done' } }),
    (error: unknown) => error,
  );
  const { options } = problem as { readonly options: { readonly status: number; readonly code: string } };
  return `${options.status} ${options.code}`;
}
