import type { TopicPartition } from '#kafka';

import type { Chance } from '#shop';
import type { Timeline } from '../kernel/timeline.js';

/** What the log's record must become, as a checker wants to know it. */
export interface RecordFacts {
  readonly program: string | null;
  readonly memberId: string | null;
  /** As it would stand in `dedup`, hex; null: it has none. */
  readonly eventKey: string | null;
  readonly businessKey: string | null;
  readonly owes: 'intent' | 'quarantine' | 'anything' | 'nothing';
}

/** A record on its way to the broker. */
export interface ProducedRecord {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, Uint8Array>>;
  /** For the trace. */
  readonly label: string;
  /** Of each event that it tells, in their order; of what tells none, one. */
  readonly facts: readonly RecordFacts[];
}

interface StoredRecord extends ProducedRecord {
  readonly offset: number;
  readonly brokerAt: number;
}

/** What befalls the brokers' clients just now; probabilities of each call. */
interface BrokerWeather {
  isDown: boolean;
  /** A fetch, a heartbeat or a question about offsets that fails. */
  failsCalls: number;
  /** A batch that was fetched before a seek is handed over all the same. */
  handsOverStale: number;
  /** A partition is fetched from before its consumer said where to begin. */
  fetchesBeforeSeek: number;
  /** A batch is handed over again although it was acknowledged. */
  redelivers: number;
  /** A member learns late that the group was rebalanced. */
  reportsLate: number;
  /** Offsets are taken by markers of transactions. */
  writesControlRecords: number;
  /** A producer is not told that its record was stored, and sends it again. */
  losesProduceAcknowledgement: number;
}

export function faultFreeBroker(): BrokerWeather {
  return {
    isDown: false,
    failsCalls: 0,
    handsOverStale: 0,
    fetchesBeforeSeek: 0,
    redelivers: 0,
    reportsLate: 0,
    writesControlRecords: 0,
    losesProduceAcknowledgement: 0,
  };
}

/** One partition of one incarnation of a topic. */
export interface PartitionLog {
  readonly topic: string;
  readonly incarnation: number;
  readonly partition: number;
  /** The oldest offset that can still be fetched. */
  low: number;
  /** The offset of the next record. */
  high: number;
  /** Records by offset; control records are holes. */
  readonly records: Map<number, StoredRecord>;
  /** Called once, when something is appended. */
  waiting: (() => void)[];
}

/** Offsets that transaction markers take: nobody is handed them. */
const controlRecordsMax = 2;

function newLog(topic: string, incarnation: number, partition: number): PartitionLog {
  return { topic, incarnation, partition, low: 0, high: 0, records: new Map(), waiting: [] };
}

/** The brokers of a world: topics as logs. What they lose, they lose for everybody. */
export class Broker {
  readonly clusterId = 'sim';
  readonly weather: BrokerWeather = faultFreeBroker();
  /** Logs of topics that were created anew, too. */
  readonly all: PartitionLog[] = [];
  private readonly topics = new Map<string, PartitionLog[]>();

  constructor(
    topics: ReadonlyMap<string, number>,
    private readonly timeline: Timeline,
    private readonly chance: Chance,
  ) {
    for (const [topic, partitions] of topics) this.create(topic, 1, partitions);
  }

  get topicNames(): readonly string[] {
    return [...this.topics.keys()];
  }

  /** The present logs of a topic. */
  logsOf(topic: string): readonly PartitionLog[] {
    return this.topics.get(topic) ?? [];
  }

  /** As daemons count them: each partition by itself, also one that was added to a topic created anew. */
  incarnationOf({ topic, partition }: PartitionLog): number {
    return this.all.filter((log) => log.topic === topic && log.partition === partition).length;
  }

  logOf(topic: string, partition: number): PartitionLog | undefined {
    return this.logsOf(topic)[partition];
  }

  /** Appends a record to the partition that its key belongs to. */
  append(record: ProducedRecord): void {
    const logs = this.topics.get(record.topic) ?? [];
    const log = logs[record.key === null ? this.chance.between(0, logs.length - 1) : hashOf(record.key) % logs.length];
    if (log === undefined) throw new Error(`no partition of ${record.topic}`);
    if (this.chance.happens(this.weather.writesControlRecords)) log.high += this.chance.between(1, controlRecordsMax);
    const offset = log.high;
    log.records.set(offset, { ...record, offset, brokerAt: Math.floor(this.timeline.now) });
    log.high += 1;
    for (const wake of log.waiting.splice(0)) wake();
    this.timeline.trace.note(this.timeline.now, `log ${log.topic}/${log.partition} ${offset} ${record.label}`);
  }

  /** All partitions anew, empty. One that was empty before is no other than it was. */
  recreate(topic: string): void {
    const logs = this.logsOf(topic).map((old) =>
      old.high === 0 ? old : newLog(topic, old.incarnation + 1, old.partition),
    );
    this.topics.set(topic, logs);
    this.all.push(...logs.filter((log) => !this.all.includes(log)));
  }

  addPartition(topic: string): void {
    const logs = this.topics.get(topic);
    if (logs === undefined) return;
    const log = newLog(topic, logs[0]?.incarnation ?? 1, logs.length);
    logs.push(log);
    this.all.push(log);
  }

  /** The oldest records of a partition are deleted, whether or not somebody has consumed them. */
  retain(topic: string): void {
    const log = this.chance.pickAny(this.logsOf(topic));
    if (log !== undefined) log.low = this.chance.between(log.low, log.high);
  }

  private create(topic: string, incarnation: number, partitions: number): void {
    const logs = Array.from({ length: partitions }, (_, partition) => newLog(topic, incarnation, partition));
    this.topics.set(topic, logs);
    this.all.push(...logs);
  }
}

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** A member that was not heard of for so long is taken for dead. */
const sessionMs = 6_000;
const checkMs = 1_000;

export interface GroupMember {
  readonly name: string;
}

interface Seat {
  heardAt: number;
  /** What the member was told last; another generation means that it must join again. */
  told: number;
}

/** The group coordinator: who is a member, and who has which partitions in the present generation. */
export class ConsumerGroup {
  private readonly seats = new Map<GroupMember, Seat>();
  private generation = 0;

  constructor(
    private readonly broker: Broker,
    private readonly timeline: Timeline,
  ) {
    this.watch();
  }

  /** The member is there (again); everybody's partitions are dealt anew if it was not. */
  join(member: GroupMember): TopicPartition[] {
    if (!this.seats.has(member)) {
      this.seats.set(member, { heardAt: this.timeline.now, told: -1 });
      this.rebalance();
    }
    const seat = this.seats.get(member);
    if (seat !== undefined) seat.told = this.generation;
    return this.assignment(member);
  }

  leave(member: GroupMember): void {
    if (this.seats.delete(member)) this.rebalance();
  }

  /** A sign of life. @returns whether the member's generation is still the present one */
  hear(member: GroupMember): boolean {
    const seat = this.seats.get(member);
    if (seat === undefined) return false;
    seat.heardAt = this.timeline.now;
    return seat.told === this.generation;
  }

  /** Everybody must join again. */
  rebalance(): void {
    this.generation += 1;
    this.timeline.trace.note(this.timeline.now, `group generation ${this.generation} of ${this.seats.size}`);
  }

  private assignment(member: GroupMember): TopicPartition[] {
    const members = [...this.seats.keys()];
    const partitions = this.broker.topicNames.flatMap((topic) =>
      this.broker.logsOf(topic).map(({ partition }) => ({ topic, partition })),
    );
    const place = members.indexOf(member);
    // Dealt differently in each generation, as the members' ids would have it.
    return partitions.filter((_, index) => (index + this.generation) % members.length === place);
  }

  private watch(): void {
    this.timeline.after(checkMs, 'group looks around', () => {
      const { isDown } = this.broker.weather;
      for (const [member, seat] of this.seats) {
        if (isDown) seat.heardAt = this.timeline.now;
        else if (this.timeline.now - seat.heardAt > sessionMs) this.leave(member);
      }
      this.watch();
    });
  }
}
