import { createHash } from 'node:crypto';

import type { InjectionToken } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import type { AuditEntry, OperatorToken, ProgramsFile, WalletPass } from '#contracts';
import { parseProgramsFile } from '#contracts';
import { DialectRegistry } from '#gateway';
import { SourceTables } from '#events';
import { openFormat } from '#events/formats';
import { recordRouter } from '#events/ingest';
import type { UnpackBatch } from '#intents';
import { adoptPasses, ensureMembers, IngestKeys, MemberKeys, recordBatch, startOffset } from '#intents';
import {
  AccessSettings,
  admitBeforeBodies,
  AskedPartner,
  ConsoleSettings,
  Doctor,
  Intake,
  NoticeSettings,
  OperationsModule,
  OperationsObserver,
  ProbeSource,
  ProbesModule,
  ProblemFilter,
  ProgramsControl,
  PublishedTopics,
  SourceTopics,
  TopicRules,
} from '#operations';
import {
  Clock,
  createDataSource,
  Database,
  Keyring,
  Random,
  SystemClock,
  SystemRandom,
  TypeormDatabase,
} from '#platform';
import { testDatabase } from '#test-support';

import { createHttpServer } from '../../http/http-adapter.js';
import type { Sent } from './sent-events.js';
import { structured } from './sent-events.js';

export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
/** `the other admin` has a token, too. */
export type Caller = Role | 'other admin';

const program = (programId: string, more = '', [receipt, refund] = ['purchaseId', 'refundId']): string => `
    brandId: "101"
    programId: "${programId}"
    currency: EUR
    currencyDigits: 0
    uniqueIdKey: memberId
    enrolment: { via: issue }
    update: { via: workflow, workflowId: "78" }
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: "31", attributes: { store: storeId, receipt: ${receipt}, campaign: attributes.campaign, gross: total.minor, system: { value: pos } }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded: { transactionTypeId: "32", sign: -1, attributes: { receipt: ${refund} }, uniqueAttribute: receipt, uniqueEnforced: true }
      voided: { via: none }
    rewards: { free-coffee: { id: "9001" }, free-car: { id: "9002" } }
    revoked: { via: none }
${more}`;

const ofTill = (number: string): string => `{ join: [${number}, storeId, attributes.till] }`;

const eventsMayAll = '    eventsMay: { erase: true, merge: true }\n';

/** No event of `chai-club` may erase or merge. */
const programsText = `
programs:
  coffee-club:${program('2001', eventsMayAll)}
  tea-club:${program('2002', eventsMayAll)}
  chai-club:${program('2002', '', ['{ join: [purchaseId, storeId] }', '{ join: [refundId, storeId] }'])}
  till-club:${program('2003', `    purchaseKey: [purchaseId, storeId, attributes.till]\n    lookup: { by: email }\n${eventsMayAll}`, [ofTill('purchaseId'), ofTill('refundId')])}
`;

const jsonSources = (): SourceTables =>
  new SourceTables({ topics: {}, written: [], openFormat: () => openFormat('json', null, { updates: false }) });

function fileOf(text: string): ProgramsFile {
  const programs = parseProgramsFile(text);
  if (!programs.ok) throw new Error(programs.errors.join('; '));
  return programs.value;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Of a problem document. */
  readonly detail: string;
}

/** A request as it is, and its answer. */
export interface RawRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: string;
  readonly body?: object;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

function tokenOf(caller: string, role: Role): OperatorToken {
  const token = caller.replace(' ', '-');
  return { name: `the ${caller}`, role, sha256: createHash('sha256').update(token).digest('hex') };
}

function tokensOf(limits: NonNullable<DoorOptions['limits']>): OperatorToken[] {
  const limited = (role: Role): OperatorToken[] =>
    Object.entries(limits).map(([name, limit]) => ({ ...tokenOf(`${role}.${name}`, role), programs: limit }));
  return [...roles.flatMap((role) => [tokenOf(role, role), ...limited(role)]), tokenOf('other admin', 'admin')];
}

const at = Date.parse('2026-11-21T12:00:00.000Z');

interface Parts {
  readonly app: NestFastifyApplication;
  readonly database: TypeormDatabase;
  /** The same by its owner. */
  readonly owned: TypeormDatabase;
  /** Stands where it is put. */
  readonly clock: { at: number };
  readonly keys: IngestKeys;
  readonly route: Intake['route'];
  /** The programs file by which the process works. */
  readonly inForce: { file: ProgramsFile };
  readonly close: () => Promise<void>;
}

interface DoorOptions {
  /**
   * Besides the tokens that are called like their role there is one of each role that is limited to these programs, by what
   * stands behind the role in its name: `viewer.tea`.
   */
  readonly limits?: Readonly<Record<string, readonly string[]>>;
  /** What is added to the programs file, such as sources that make events of JSON. */
  readonly programs?: string;
  /** What `GET /metrics` answers. */
  readonly metrics?: string;
  readonly access?: Partial<AccessSettings>;
  readonly console?: Partial<ConsoleSettings>;
  /** Called when something may have changed. */
  readonly onWritten?: () => void;
}

const toNobody = [NoticeSettings, { current: () => null }] as const;
const noConsole = {
  ...{ folder: '/nowhere', basePath: '/', version: '0', docsUrl: null, loginLinks: null },
  onAbsent: () => undefined,
};
const topicRules: TopicRules = { isReadable: true, knownSince: () => 0, sourceOf: () => 'anything' };

/** The operations API over HTTP, with tokens of every role, on a real database and with the router of ingest. */
export class OperatorsDoor {
  private offset = 0;

  private constructor(private readonly parts: Parts) {}

  get clock(): Parts['clock'] {
    return this.parts.clock;
  }

  async close(): Promise<void> {
    await this.parts.close();
  }

  static async open({
    limits = {},
    programs = '',
    metrics = '',
    onWritten = () => undefined,
    ...more
  }: DoorOptions = {}): Promise<OperatorsDoor> {
    const test = await testDatabase();
    const connection = { poolSize: 5, ssl: false, applicationName: 'door-spec', migrations: [] } as const;
    const onPoolError = (): void => undefined;
    const source = createDataSource({ ...connection, url: test.url, onPoolError });
    const owned = createDataSource({ ...connection, url: test.ownerUrl, onPoolError });
    await Promise.all([source.initialize(), owned.initialize()]);
    const database = new TypeormDatabase(source);
    const random = new SystemRandom();
    const members = new MemberKeys(new Keyring([random.bytes(32)]), random);
    const keys = { members, mac: random.bytes(32), quarantine: random.bytes(32), random };
    const inForce = { file: fileOf(programsText + programs) };
    const sources = programs === '' ? null : jsonSources();
    const route = recordRouter(() => ({ file: inForce.file, hash: Buffer.alloc(16) }), sources);
    const clock = { at };
    const tokens = tokensOf(limits);
    const databaseClock = Object.assign(new SystemClock(), { now: () => clock.at });
    const access: AccessSettings = {
      ...{ tokens: () => tokens, oidc: null, isReadOnly: false, metrics: 'token', trustedProxies: [] },
      ...{ clock: databaseClock, ...more.access },
    };
    const console = { ...noConsole, ...more.console };
    const programsControl: ProgramsControl = {
      processId: random.uuid(),
      file: () => inForce.file,
      inForce: () => ({ hash: '', since: clock.at }),
      reload: () => Promise.reject(new Error('nothing to reload')),
    };
    const ports: Ports = [
      [AccessSettings, access],
      [AskedPartner, { calls: null, timeoutMs: 0 }],
      [Clock, databaseClock],
      [ConsoleSettings, console],
      [Database, database],
      [DialectRegistry, new DialectRegistry()],
      [Doctor, { examine: () => Promise.reject(new Error('nothing to examine')) }],
      [IngestKeys, keys],
      [Intake, { route, unpack: unpackTexts, hasDeadLetters: true }],
      [MemberKeys, members],
      [OperationsObserver, { written: onWritten, jobItems: () => undefined }],
      [ProgramsControl, programsControl],
      ...[[PublishedTopics, { names: null }] as const, [TopicRules, topicRules] as const, toNobody],
      [SourceTopics, { topicOf: (source: string) => (source === 'anything' ? partition.topic : null) }],
      [Random, random],
    ];
    const app = await listen(ports, { access, basePath: console.basePath, metrics });
    await startOffset(database, partition, 0);
    const close = async (): Promise<void> => {
      await app.close();
      await Promise.all([source.destroy(), owned.destroy()]);
      await test.dispose();
    };
    return new OperatorsDoor({ app, database, owned: new TypeormDatabase(owned), clock, keys, route, inForce, close });
  }

  /** Another programs file comes into force. */
  mend(change: (text: string) => string): void {
    this.parts.inForce.file = fileOf(change(programsText));
  }

  /** Where it listens. */
  get url(): Promise<string> {
    return this.parts.app.getUrl();
  }

  /** As the bearer of a token. @returns everything that comes back, headers included */
  async send(token: string, { method, url, body }: RawRequest): Promise<{ status: number; text: string }> {
    const payload = body === undefined ? {} : { payload: body };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await this.parts.app.inject({ method, url, headers, ...payload });
    return { status: answer.statusCode, text: `${JSON.stringify(answer.headers)}\n${answer.body}` };
  }

  private async ask(caller: Caller, { method, path, body }: Request): Promise<Answer> {
    const payload = body === undefined ? {} : { payload: body };
    const headers = { authorization: `Bearer ${caller.replace(' ', '-')}` };
    const answer = await this.parts.app.inject({ method, url: `/api/v1${path}`, headers, ...payload });
    const read = JSON.parse(answer.body) as Readonly<Record<string, unknown>>;
    const type = String(answer.headers['content-type']);
    return { status: answer.statusCode, type, body: read, detail: String(read['detail']) };
  }

  async post(caller: Caller, path: string, body: object = {}): Promise<Answer> {
    return this.ask(caller, { method: 'POST', path, body: { reason: 'it must be', ...body } });
  }

  async get(path: string): Promise<Answer['body']> {
    return (await this.ask('viewer', { method: 'GET', path })).body;
  }

  /** Takes a record in as ingest does; where it cannot be taken it is set aside. */
  async ingest({ value, headers = structured }: Sent): Promise<void> {
    const { offset } = this;
    const { at: now } = this.clock;
    this.offset += 1;
    const original = {
      offset,
      brokerAt: now,
      key: null,
      value: Buffer.from(value),
      headersText: JSON.stringify(headers),
    };
    // As from its topic: nobody has looked at it by itself.
    const arrived = { source: partition, original, now, receivedAt: now, isOfBatch: true } as const;
    const { records, programsHash } = await this.parts.route(arrived);
    const batch = { source: partition, records, fromOffset: offset, nextOffset: offset + 1, now };
    await recordBatch(this.parts.database, { ...batch, programsHash }, this.parts.keys);
  }

  /** @returns its id in quarantine */
  async setAside(sent: Sent): Promise<number> {
    await this.ingest(sent);
    const [newest] = await this.sql<{ id: number; offset: number }>(
      'SELECT quarantine_id AS id, kafka_offset AS "offset" FROM quarantine ORDER BY quarantine_id DESC LIMIT 1',
    );
    if (newest?.offset !== this.offset - 1) throw new Error('it was not set aside');
    return newest.id;
  }

  /**
   * Sets a record batch aside with these records.
   * @returns its id in quarantine
   */
  async setAsideBatch(records: readonly Sent[], reason: 'oversized' | 'unreadable' = 'oversized'): Promise<number> {
    const firstOffset = this.offset;
    this.offset += records.length;
    const { at: now } = this.clock;
    const value = Buffer.from(JSON.stringify({ firstOffset, values: records.map((record) => record.value) }));
    const place = { offset: this.offset - 1, brokerAt: now, batch: { firstOffset } };
    const verdict = { kind: 'quarantine', reason, detail: 'record batch' } as const;
    const prepared = { original: { ...place, key: null, value, headersText: '{}' }, verdict };
    const batch = { source: partition, records: [prepared], fromOffset: firstOffset, nextOffset: this.offset, now };
    await recordBatch(this.parts.database, { ...batch, programsHash: Buffer.alloc(16) }, this.parts.keys);
    const [newest] = await this.sql<{ id: number }>('SELECT max(quarantine_id) AS id FROM quarantine');
    return newest?.id ?? 0;
  }

  /** The partner has shown this pass of a member. */
  async shows(program: string, memberId: string, pass: WalletPass): Promise<void> {
    const { database, keys, clock } = this.parts;
    const found = await ensureMembers(database, { program, memberIds: [memberId], now: clock.at }, keys);
    const passes = [...found.values()].flatMap(({ laneId, key }) => (key === null ? [] : [{ laneId, key, pass }]));
    const place = { brandId: '101', programId: program };
    const request = { program, place, passes, job: 'listed', page: 1, now: clock.at };
    await database.transaction('shows', (session) => adoptPasses(session, request, keys));
  }

  async newestAction(): Promise<AuditEntry> {
    const [entry] = (await this.get('/audit?limit=1'))['items'] as AuditEntry[];
    if (entry === undefined) throw new Error('nobody has done anything');
    return entry;
  }

  /** As the owner of the tables. */
  async sql<Row extends object>(text: string, ...parameters: readonly (string | number | null)[]): Promise<Row[]> {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return (await this.parts.owned.execute<Row>({ name, text }, parameters)).rows;
  }
}

const partition = { clusterId: 'c', topic: 'loyalty.anything', incarnation: 1, partition: 0 };

/** A batch of `setAsideBatch`; one with more than nine records, or none, cannot be taken apart. */
const unpackTexts: UnpackBatch = async function* unpackTexts({ bytes, from, to }) {
  const { firstOffset, values } = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly firstOffset: number;
    readonly values: readonly string[];
  };
  const headersText = JSON.stringify(structured);
  const records = values.map((value, index) => ({
    original: { offset: firstOffset + index, brokerAt: at, key: null, value: Buffer.from(value), headersText },
    refused: null,
  }));
  const reason = values.length > 9 ? 'oversized' : 'unreadable';
  const refused = { reason, detail: 'record batch: more than it may grow to' } as const;
  const rest = { offset: to, brokerAt: at, key: null, value: bytes, headersText: '{}', batch: { firstOffset } };
  if (values.length > 9 || values[0] === '') yield [{ original: rest, refused }];
  else yield records.filter(({ original }) => original.offset >= from);
};

/** By their tokens. */
type Ports = readonly (readonly [InjectionToken, unknown])[];

@Module({})
class PortsModule {}

async function listen(
  ports: Ports,
  {
    access,
    basePath,
    metrics,
  }: { readonly access: AccessSettings; readonly basePath: string; readonly metrics: string },
): Promise<NestFastifyApplication> {
  const { adapter, connections } = createHttpServer(basePath);
  admitBeforeBodies(adapter, access, connections);
  const probes: ProbeSource = {
    ...{ live: () => ({ problems: [] }), started: () => ({ problems: [] }), ready: async () => ({ problems: [] }) },
    metrics: async () => ({ contentType: 'text/plain', text: metrics }),
  };
  const providers = [...ports, [ProbeSource, probes] as const].map(([provide, useValue]) => ({ provide, useValue }));
  const given = { module: PortsModule, global: true, providers, exports: providers };
  const module = { imports: [ProbesModule.forRoot([given]), OperationsModule.forRoot([given])] };
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    abortOnError: false,
  });
  const error = (fields: unknown): void => void process.stderr.write(`${JSON.stringify(fields)}\n`);
  app.useGlobalFilters(new ProblemFilter({ error } as unknown as ConstructorParameters<typeof ProblemFilter>[0]));
  await app.listen(0, '127.0.0.1');
  return app;
}
