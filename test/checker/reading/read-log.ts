import type { Kafka } from 'kafkajs';

import type { ProgramsFile } from '#contracts';

import type { HeardOutcome, LogRecord } from '../history/run-history.js';
import { describeRecord } from './describe-record.js';
import type { TopicRecord } from './read-topics.js';
import { readTopics } from './read-topics.js';

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
