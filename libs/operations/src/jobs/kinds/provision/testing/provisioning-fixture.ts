import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';
import { DialectRegistry } from '#gateway';
import { createDataSource, createLogger, SystemClock, SystemRandom, TypeormDatabase } from '#platform';

import type { JobWork } from '../../../job-runner.js';
import { JobItemRepository } from '../../../job-items.js';
import { pacedTurn } from '../../../job-runner.js';
import type { Job, JobPace, JobSteering } from '../../../job-repository.js';
import { JobRepository } from '../../../job-repository.js';
import type { ProvisionedThing } from '../provisioned-repository.js';
import { ProvisionedRepository } from '../provisioned-repository.js';
import { ProvisioningWork } from '../provisioning-work.js';
import { ScriptedAdministration } from './scripted-administration.js';

const start = Date.UTC(2026, 10, 21, 9);
/** How long a process does nothing that finds nothing to do. */
const idleMs = 250;
/** Turns after which a job that is not done never will be. */
const turnsMax = 200;
const linesMax = 500;

/** A program with a transaction type, and a brand with an attribute that exists and one that does not. */
export const section = `
provision:
  brands:
    101: { attributes: { memberId: { id: 501, unique: true }, birthday: date } }
  programs:
    club:
      transactionTypes: { 31: { name: Purchase, attributes: { store: string, receipt: { unique: true } } } }
      templates: { Basic: { passType: GENERIC } }
`;

function fileOf(text: string, perSecond: number | null = null): ProgramsFile {
  const settings = `inFlightMs: 5000, limits: { requestsPerSecond: ${perSecond} }`;
  const result = parseProgramsFile(`programs: { club: { brandId: 101, programId: 2001, ${settings} } }\n${text}`);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.value;
}

/** Several processes on one real database and one scripted partner; the clock moves only while one waits. */
export class ProvisioningFixture {
  readonly partner = new ScriptedAdministration();
  file = fileOf(section);
  private nowMs = start;
  private interruption = (): Promise<void> => Promise.resolve();
  private readonly random = new SystemRandom();
  private readonly owners = new Map<string, string>();

  private constructor(
    private readonly source: ReturnType<typeof createDataSource>,
    readonly database: TypeormDatabase,
  ) {}

  static async open(url: string): Promise<ProvisioningFixture> {
    const named = { url, applicationName: 'provisioning-spec', onPoolError: (): void => undefined };
    const source = createDataSource({ ...named, poolSize: 8, ssl: false, migrations: [] });
    await source.initialize();
    return new ProvisioningFixture(source, new TypeormDatabase(source));
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }

  declare(text: string, perSecond: number | null = null): void {
    this.file = fileOf(text, perSecond);
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  get now(): number {
    return this.nowMs;
  }

  async ask(
    jobId: string,
    request: { readonly apply: boolean; readonly program?: string },
    pace?: JobPace,
  ): Promise<Job> {
    const audit = { at: this.now, actor: 'ada', address: null, reason: 'a new program' };
    const { apply, program = null } = request;
    const asked = { jobId, kind: 'provision', program, request: { apply }, audit } as const;
    return new JobRepository(this.database).create(pace === undefined ? asked : { ...asked, pace });
  }

  /** A process takes one turn of the job, as the runner does. False where there is nothing to do for a while. */
  async turn(jobId: string, process = 'first'): Promise<boolean> {
    const owner = this.ownerOf(process);
    const job = (await this.lease(jobId, owner)) ?? (await this.lease(jobId, owner));
    if (job === undefined) return false;
    await this.interruption();
    try {
      const turn = await pacedTurn(this.work(), job, Infinity, { items: new JobItemRepository(this.database) });
      return await new JobRepository(this.database).save({ jobId, owner, now: this.now, turn });
    } catch (error) {
      const text = error instanceof Error ? error.message : 'failed';
      await new JobRepository(this.database).fail({ jobId, owner, error: text, isFinal: false, now: this.now });
      throw error;
    }
  }

  /** Steers the job when its next turn has begun. */
  steerWithinNextTurn(jobId: string, steering: 'pause' | 'cancel'): void {
    this.interruption = async () => {
      this.interruption = () => Promise.resolve();
      await this.steer(jobId, steering);
    };
  }

  async steer(jobId: string, steering: JobSteering): Promise<void> {
    const audit = { at: this.now, actor: 'ada', address: null, reason: 'not now' };
    await new JobRepository(this.database).steer({ job: await this.job(jobId), steering, audit, role: 'admin' });
  }

  /** Turn after turn until it is done. */
  async finish(jobId: string, process = 'first'): Promise<Job> {
    for (let turns = 0; turns < turnsMax; turns += 1) {
      if ((await this.job(jobId)).state === 'done') return this.job(jobId);
      await this.turn(jobId, process);
    }
    throw new Error(`${jobId} is not done after ${turnsMax} turns`);
  }

  async apply(jobId: string, program?: string): Promise<Job> {
    await this.ask(jobId, { apply: true, ...(program === undefined ? {} : { program }) });
    return this.finish(jobId);
  }

  async job(jobId: string): Promise<Job> {
    const found = await new JobRepository(this.database).find(jobId);
    if (found === null) throw new Error('no such job');
    return found;
  }

  async lines(jobId: string, line: string): Promise<Readonly<Record<string, unknown>>[]> {
    const found = await new JobRepository(this.database).lines({ jobId, after: 0, limit: linesMax });
    return found.map(({ data }) => data).filter((data) => data['line'] === line);
  }

  /** What came of each step, in order. */
  async results(jobId: string): Promise<string[]> {
    const found = await this.lines(jobId, 'result');
    return found.map(({ result, name }) => `${String(result)} ${String(name)}`);
  }

  async recorded(name: string): Promise<ProvisionedThing> {
    const found = (await new ProvisionedRepository(this.database).list(null)).find((thing) => thing.name === name);
    if (found === undefined) throw new Error(`nothing is recorded of ${name}`);
    return found;
  }

  async resolve(stepId: string, as: 'created' | 'not-created', partnerId: string | null = null): Promise<string> {
    const audit = { at: this.now, actor: 'ada', address: null, reason: 'looked at the partner' };
    return (await new ProvisionedRepository(this.database).resolve({ stepId, as, partnerId, audit })).kind;
  }

  private async lease(jobId: string, owner: string): Promise<Job | undefined> {
    const leased = await new JobRepository(this.database).lease({ owner, kinds: ['provision'], now: this.now });
    const job = leased.find((each) => each.jobId === jobId);
    if (job === undefined) this.pass(idleMs);
    return job;
  }

  private work(): JobWork {
    const tools = {
      clock: Object.assign(new SystemClock(), {
        now: () => this.nowMs,
        sleep: async (ms: number) => this.pass(ms),
      }),
      ...{ database: this.database, random: this.random, partner: this.partner, dialects: new DialectRegistry() },
      logger: createLogger({ level: 'silent', service: 'spec' }),
      programs: () => this.file,
      fingerprint: (text: string) => `fingerprint of ${text}`,
      timeoutMs: 60_000,
    };
    return new ProvisioningWork(tools, new ProvisionedRepository(this.database), new JobRepository(this.database));
  }

  private ownerOf(process: string): string {
    const owner = this.owners.get(process) ?? this.random.uuid();
    this.owners.set(process, owner);
    return owner;
  }
}
