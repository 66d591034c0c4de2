import type { Program } from '#contracts';
import type { BusinessKey, Operation, PartnerCommand } from '#intents/core';
import type { AttemptReport, LookupReport } from '#gateway';
import type { BatchResult, HandOver, IngestKeys, PreparedRecord } from '#intents';
import { ChunkRepository, MemberKeys, recordBatchMax, startOffset } from '#intents';
import type { Clock, SqlParameter } from '#platform';
import { createDataSource, Keyring, LocalWake, SystemClock, SystemRandom, TypeormDatabase } from '#platform';

import { DeliveryLoop } from '../delivery-loop.js';
import type { DeliveryPartner } from '../partner-calls.js';
import type { Observation } from '../engine/observation.js';
import { deliverySettings } from '../settings.js';
import { applied, commandOf, lookup } from './engine-harness.js';

/** A call as the partner saw it. Epoch ms. */
interface SeenCall {
  readonly program: string;
  readonly uniqueId: string;
  readonly at: number;
}

/** A partner in memory that answers as told, after a while. Programs are told apart by their brand. */
class ScriptedPartner implements DeliveryPartner {
  readonly calls: SeenCall[] = [];
  /** Most calls of one program under way at once. */
  readonly mostAtOnce = new Map<string, number>();
  latencyMs = 5;
  answer: (command: PartnerCommand) => AttemptReport<never> | Promise<AttemptReport<never>> = () =>
    applied as AttemptReport<never>;
  private readonly underWay = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  callsOf(program: string): SeenCall[] {
    return this.calls.filter((call) => call.program === program);
  }

  async findPass(): Promise<LookupReport> {
    await this.clock.sleep(this.latencyMs);
    return lookup('found');
  }

  async countPasses(): Promise<never> {
    throw new Error('nobody asks for a listing');
  }

  async scheduleUpdate(): Promise<never> {
    throw new Error('nothing is scheduled');
  }

  async send(command: PartnerCommand): Promise<AttemptReport<never>> {
    const { brandId: program, uniqueId } = command;
    this.calls.push({ program, uniqueId, at: this.clock.now() });
    const count = (this.underWay.get(program) ?? 0) + 1;
    this.underWay.set(program, count);
    this.mostAtOnce.set(program, Math.max(count, this.mostAtOnce.get(program) ?? 0));
    await this.clock.sleep(this.latencyMs);
    this.underWay.set(program, (this.underWay.get(program) ?? 0) - 1);
    return this.answer(command);
  }
}

const partnerTimeoutMs = 2_000;
/** No test lasts so long: what would wait for the end of a lease never comes. */
export const leaseMsEndless = 3_600_000;

/** What is recorded for a program: so many members with these intents each, their passes known. */
interface Backlog {
  readonly program: string;
  readonly members: number;
  /** Number of the first one. */
  readonly from?: number;
  /** Of rewards. */
  readonly rewardId?: string;
  readonly operations?: readonly Operation[];
}

const source = { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition: 0 };

/** What is recorded is known by where it lay. */
function keyOf(offset: number): BusinessKey {
  return { scope: 'purchase', parts: [String(offset)], perGeneration: false };
}

/** A real database, a scripted partner and as many delivery loops as are started: one process each in production. */
export class DeliveryFixture {
  readonly clock = new SystemClock();
  readonly partner = new ScriptedPartner(this.clock);
  readonly observations: Observation[] = [];
  readonly troubles: unknown[] = [];
  settings = deliverySettings(partnerTimeoutMs);
  /** Whether the loops count on being told of what others record; nobody tells them here. */
  hearsOthers = false;
  /** The loop in whose process is recorded; null: in one that delivers nothing. */
  handOver: HandOver | null = null;
  private readonly random = new SystemRandom();
  private readonly loops: DeliveryLoop[] = [];
  private nextOffset = 0;

  private constructor(
    private readonly source: ReturnType<typeof createDataSource>,
    readonly database: TypeormDatabase,
    readonly keys: IngestKeys,
  ) {}

  static async open(url: string): Promise<DeliveryFixture> {
    const onPoolError = (): void => undefined;
    const named = { url, applicationName: 'delivery-spec' };
    const source = createDataSource({ ...named, poolSize: 16, ssl: false, migrations: [], onPoolError });
    await source.initialize();
    const random = new SystemRandom();
    const members = new MemberKeys(new Keyring([random.bytes(32)]), random);
    const keys = { members, mac: random.bytes(32), quarantine: random.bytes(32), random };
    return new DeliveryFixture(source, new TypeormDatabase(source), keys);
  }

  /** Starts a loop that shares nothing with the others but the database and the partner. */
  start(programs: Readonly<Record<string, Program>>): DeliveryLoop {
    const { clock, random, database, partner } = this;
    const wake = new LocalWake();
    wake.hearsOthers = this.hearsOthers;
    const loop = new DeliveryLoop(
      {
        clock,
        random,
        database,
        partner,
        wake,
        keys: this.keys.members,
        macKey: this.keys.mac,
        observe: (observation) => this.observations.push(observation),
        onFailure: (_, error) => this.troubles.push(error),
      },
      this.settings,
    );
    this.loops.push(loop);
    loop.start(programs);
    return loop;
  }

  async record({ program, members, from: first = 0, operations = ['transaction'], rewardId }: Backlog): Promise<void> {
    if (this.nextOffset === 0) await startOffset(this.database, source, 0);
    const total = members * operations.length;
    const records = Array.from({ length: total }, (_, index) => {
      const operation = operations[Math.floor(index / members)] ?? 'transaction';
      const command = { ...commandOf(operation), brandId: program, uniqueId: `m_${first + (index % members)}` };
      const isOther = command.operation === 'reward' && rewardId !== undefined;
      return this.prepared(isOther ? { ...command, rewardId } : command, index);
    });
    for (let from = 0; from < total; from += recordBatchMax) {
      await this.recordPrepared(records.slice(from, from + recordBatchMax));
    }
    await this.sql(`UPDATE lane SET pass = 'known'`);
  }

  /** Records that a purchase was voided, told by where it lay. */
  async void(purchase: {
    readonly program: string;
    readonly memberId: string;
    readonly offset: number;
  }): Promise<void> {
    const { program, memberId, offset } = purchase;
    const { original, verdict } = this.prepared(
      { ...commandOf('transaction'), brandId: program, uniqueId: memberId },
      0,
    );
    if (verdict.kind !== 'routed') throw new Error('a void is routed');
    const cancel = { program, memberId, target: keyOf(offset), reason: 'voided', ifTooLate: null } as const;
    const eventType = 'loyalty.purchase.voided.v1';
    await this.recordPrepared([{ original, verdict: { ...verdict, eventType, intents: [], cancels: [cancel] } }]);
  }

  /** Records another sale of each of some members, whose passes are known as they were. */
  async sell(program: string, members: readonly string[]): Promise<BatchResult> {
    if (this.nextOffset === 0) await startOffset(this.database, source, 0);
    const sale = { ...commandOf('transaction'), brandId: program };
    return this.recordPrepared(members.map((uniqueId, index) => this.prepared({ ...sale, uniqueId }, index)));
  }

  private async recordPrepared(records: readonly PreparedRecord[]): Promise<BatchResult> {
    const fromOffset = this.nextOffset;
    const nextOffset = fromOffset + records.length;
    const part = { source, records, fromOffset, nextOffset };
    const repository = new ChunkRepository(this.database, this.keys, this.handOver);
    const chunk = { parts: [part], now: this.clock.now(), programsHash: Buffer.alloc(16) };
    const [result] = await repository.record(chunk);
    if (result === undefined) throw new Error('a batch has no result');
    this.nextOffset = nextOffset;
    return result;
  }

  async sql<Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]> {
    const { rows } = await this.database.execute<Row>({ name: `spec ${text}`.slice(0, 60), text }, parameters);
    return rows;
  }

  /** Applied attempts, as recorded. */
  async delivered(program: string): Promise<number> {
    const text = `SELECT count(*) AS count FROM intent_history JOIN lane USING (lane_id)
      WHERE type = 'AttemptApplied' AND program_id = $1`;
    return (await this.sql<{ count: number }>(text, program))[0]?.count ?? 0;
  }

  async drain(): Promise<void> {
    await Promise.all(this.loops.splice(0).map((loop) => loop.drain()));
  }

  async close(): Promise<void> {
    await this.drain();
    await this.source.destroy();
  }

  private prepared(command: PartnerCommand, index: number): PreparedRecord {
    const offset = this.nextOffset + index;
    const { brandId: program, uniqueId: memberId, operation } = command;
    const intent = { program, memberId, operation, command, businessKey: keyOf(offset), businessContent: '' };
    return {
      original: { offset, brokerAt: this.clock.now(), key: null, value: null, headersText: '{}' },
      verdict: {
        kind: 'routed',
        eventType: 'loyalty.purchase.completed.v1',
        eventSource: '/till',
        occurredAt: this.clock.now(),
        eventKeyText: `${offset}`,
        eventContentText: `${offset}`,
        intents: [{ ...intent, waitsFor: null, parked: null, facts: {} }],
        cancels: [],
        memberEffects: null,
        enrolmentAsUpdate: null,
        profilePosition: null,
      },
    };
  }
}
