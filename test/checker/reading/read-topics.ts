import { randomBytes } from 'node:crypto';

import type { Kafka, KafkaMessage } from 'kafkajs';

import type { ProgramsFile } from '#contracts';
import { decodeSourceRecord } from '#contracts';
import type { RouteResult } from '#domain';
import { businessKeyText, eventKeyText, keyedIntent, routeSourceEvent } from '#domain';
import { waitUntil } from '#embedded';
import { digest } from '#platform';

import type { HeardOutcome, LogRecord } from '../history.js';

/** What a record of a topic says, without where it lies. */
type RecordDescription = Pick<
  LogRecord,
  'program' | 'memberId' | 'eventKey' | 'businessKey' | 'owes' | 'enrolledAt' | 'erasedAt'
>;

interface RawRecord {
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, Uint8Array | string | (Uint8Array | string)[] | undefined>> | undefined;
  /** When it was written, epoch ms. */
  readonly at: number;
}

const saysNothing = { program: null, memberId: null, eventKey: null, businessKey: null } as const;

/**
 * What a record must become, as the product's own decoding and routing read it: whether these are right is not for the
 * checker to see. Business keys are those of a member's first generation.
 */
export function describeRecord({ value, headers, at }: RawRecord, programs: ProgramsFile): RecordDescription {
  const decoded = decodeSourceRecord({ value, headers, now: at });
  if (decoded.kind === 'tombstone') return { ...saysNothing, owes: 'nothing' };
  if (decoded.kind === 'quarantine') return { ...saysNothing, owes: 'quarantine' };
  const { event } = decoded;
  const { program, memberId } = event.data;
  const route = routeSourceEvent(event, programs);
  return {
    program,
    memberId: memberId ?? null,
    eventKey: digest(eventKeyText(event)).toString('hex'),
    businessKey: businessKeyOf(route, program),
    owes: owedBy(route, event.name === 'loyalty.member.updated.v1'),
    ...(event.name === 'loyalty.member.enrolled.v1' ? { enrolledAt: Math.min(event.timeMs, at) } : {}),
    ...(route.kind === 'routed' && route.memberEffects?.erase === true ? { erasedAt: event.timeMs } : {}),
  };
}

function businessKeyOf(route: RouteResult, program: string): string | null {
  const key = route.kind === 'routed' ? (keyedIntent(route)?.businessKey ?? null) : null;
  return key === null ? null : digest(businessKeyText({ program, key, generation: 1 })).toString('hex');
}

function owedBy(route: RouteResult, mayBeStale: boolean): LogRecord['owes'] {
  if (route.kind === 'quarantine') return 'quarantine';
  return route.kind === 'routed' && route.intents.length > 0 && !mayBeStale ? 'intent' : 'anything';
}

/** A record as a consumer that starts from the beginning gets it. */
export interface TopicRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly message: KafkaMessage;
}

const readsWithinMs = 120_000;

/** Hands every record of these topics to `take`, up to where they end now; of one partition in order. */
export async function readTopics(
  kafka: Kafka,
  topics: readonly string[],
  take: (record: TopicRecord) => void,
): Promise<void> {
  const ends = await endsOf(kafka, topics);
  const isRead = (): boolean => [...ends.values()].every((left) => left <= 0);
  if (isRead()) return;
  const groupId = `checker-${randomBytes(6).toString('hex')}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch: { topic, partition, messages } }) => {
        const name = `${topic}/${partition}`;
        for (const message of messages) {
          if ((ends.get(name) ?? 0) <= 0) return;
          take({ topic, partition, offset: Number(message.offset), message });
          ends.set(name, (ends.get(name) ?? 0) - 1);
        }
      },
    });
    await waitUntil(isRead, { what: 'all records to be read', timeoutMs: readsWithinMs });
  } finally {
    await consumer.disconnect();
  }
}

/** How many records each partition holds. */
async function endsOf(kafka: Kafka, topics: readonly string[]): Promise<Map<string, number>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const ends = new Map<string, number>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        ends.set(`${topic}/${partition}`, Number(high) - Number(low));
      }
    }
    return ends;
  } finally {
    await admin.disconnect();
  }
}

/** The source topics as Kafka holds them: what stands there was acknowledged, or might as well have been. */
export async function readLog(
  kafka: Kafka,
  { topics, programs }: { readonly topics: readonly string[]; readonly programs: ProgramsFile },
): Promise<LogRecord[]> {
  const log: LogRecord[] = [];
  await readTopics(kafka, topics, ({ topic, partition, offset, message: { value, headers, timestamp } }) => {
    const described = describeRecord({ value, headers, at: Number(timestamp) }, programs);
    log.push({ topic, incarnation: 1, partition, offset, isAcknowledged: true, ...described });
  });
  return log;
}

interface OutcomeMessage {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly program: string;
    readonly memberId: string;
    readonly intentId?: string;
    readonly passId?: number | null;
  };
}

/** What a listener to the outcomes topic hears. */
export async function readOutcomes(kafka: Kafka, topic: string): Promise<HeardOutcome[]> {
  const heard: HeardOutcome[] = [];
  await readTopics(kafka, [topic], (record) => {
    heard.push(outcomeOf(record));
  });
  return heard;
}

function outcomeOf({ message: { value } }: TopicRecord): HeardOutcome {
  const { id, type, data } = JSON.parse(String(value)) as OutcomeMessage;
  const seq = data.intentId === undefined ? null : Number(data.intentId.split('~').at(-1));
  return { id, name: type, program: data.program, memberId: data.memberId, seq, passId: data.passId ?? null };
}
