import type { Chance } from '../kernel/chance.js';
import type { Timeline } from '../kernel/timeline.js';
import type { BrokerWeather } from './broker-weather.js';
import { calmBroker } from './broker-weather.js';
import type { ProducedRecord, StoredRecord } from './stored-record.js';

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
  readonly weather: BrokerWeather = calmBroker();
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
