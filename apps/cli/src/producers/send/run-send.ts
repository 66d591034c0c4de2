import { isLoopback } from '#contracts';
import type { KafkaEnvironment, ProgramsFile } from '#contracts';
import { KafkaAccess } from '#daemon';
import { createKafkaDriver, type KafkaConnection, type OutgoingRecord } from '#kafka';
import { createLogger, SystemClock } from '#platform';

import { CommandFailure, exitError, exitOk, exitSomeFailed, wrongUsage } from '../../command-line/command-failure.js';
import { loadPrograms } from '../../programs/load-programs.js';
import { readKafka, UsageProblems } from '../kafka-words.js';
import { readRecord, isObject } from '../lint/read-record.js';
import { asFileProblem, FileProblem, readSamples } from '../lint/read-samples.js';
import { readSourceRecords } from '../samples/read-records.js';
import { sampleFiles } from '../samples/sample-files.js';
import { SampleSources } from '../samples/source-of-sample.js';
import { RecordSender } from '../record-sender.js';
import type { TextTarget } from '../text-output.js';
import { TextOutput } from '../text-output.js';

/** The words of `loyaltyd send`. */
export interface SendOptions {
  readonly files: readonly string[];
  readonly programs: string | null;
  readonly sources: string | null;
  /** In place of that of the record, or of its source. */
  readonly topic: string | null;
  readonly brokers: string | null;
  /** Send to brokers of other machines. */
  readonly yes: boolean;
}

interface SendProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: AsyncIterable<Buffer>;
  readonly stdout: TextTarget;
  readonly stderr: { write(text: string): unknown };
}

interface PlacedRecord extends OutgoingRecord {
  readonly topic: string;
  readonly place: string;
}

/** `loyaltyd send`: sends samples as they are, each to the topic of its source. @returns the exit code: 0 all, 1 none, 2 usage, 4 some */
export async function runSend(options: SendOptions, streams: SendProcess): Promise<number> {
  const kafka = kafkaOf(options, streams.env);
  const records = await readAll(options, streams.stdin);
  if (records.length === 0) throw new CommandFailure('there is nothing to send');
  return sendAll(records, { kafka, options, streams });
}

/** @throws {CommandFailure} */
function kafkaOf({ brokers, yes }: SendOptions, env: NodeJS.ProcessEnv): KafkaEnvironment {
  try {
    const kafka = readKafka({ env, brokers, isDryRun: false });
    const remote = kafka.brokers.find((broker) => !isLoopback(broker.slice(0, broker.lastIndexOf(':'))));
    if (remote === undefined || yes) return kafka;
    throw wrongUsage(`${remote} is not this machine: a daemon there would tell its partner. To send: --yes`);
  } catch (error) {
    if (error instanceof UsageProblems) throw wrongUsage(error.lines.join('\n'));
    throw error;
  }
}

/** All of them, before the first is sent. @throws {CommandFailure} */
async function readAll(options: SendOptions, stdin: AsyncIterable<Buffer>): Promise<readonly PlacedRecord[]> {
  const sources = new SampleSources(await programsOf(options));
  const records: PlacedRecord[] = [];
  for (const file of await sampleFiles(options.files)) {
    try {
      records.push(...(await recordsOf(file, { sources, options, stdin })));
    } catch (error) {
      if (error instanceof FileProblem) throw new CommandFailure(`${file}: ${error.message}`, exitError);
      throw error;
    }
  }
  return records;
}

async function programsOf({ programs, sources }: SendOptions): Promise<ProgramsFile | null> {
  if (programs === null) return null;
  const loaded = await loadPrograms({ programs, sources, dialect: null }, (error) => asFileProblem(error).message);
  if (!loaded.ok) throw wrongUsage(loaded.problems.join('\n'));
  return loaded.programs;
}

interface Reading {
  readonly sources: SampleSources;
  readonly options: SendOptions;
  readonly stdin: AsyncIterable<Buffer>;
}

async function recordsOf(file: string, { sources, options, stdin }: Reading): Promise<readonly PlacedRecord[]> {
  const ofSource = await readSourceRecords(file, sources, stdin);
  const read = ofSource ?? [...(await readSamples(file, stdin))].map(nativeRecord);
  return read.map((record) => {
    const place = `${file}:${record.line}`;
    if ('detail' in record) throw wrongUsage(`${place}: ${record.detail}`);
    const topic = options.topic ?? record.topic;
    if (topic === null) throw wrongUsage(`${place}: by which topic it goes: --topic`);
    return { place, topic, ...outgoing(record) };
  });
}

function nativeRecord({ line, bytes }: { readonly line: number; readonly bytes: Buffer }) {
  const read = readRecord(bytes);
  if (!read.ok) return { line, detail: read.detail };
  const { value, headers, key = null, json } = read.record;
  const topic = isObject(json) && typeof json['topic'] === 'string' ? json['topic'] : null;
  return { line, topic, key, headers, value };
}

type ReadRecord = Exclude<ReturnType<typeof nativeRecord>, { readonly detail: string }>;

function outgoing({ key, headers, value }: Pick<ReadRecord, 'key' | 'headers' | 'value'>): OutgoingRecord {
  const named = Object.entries(headers).filter(
    (entry): entry is [string, NonNullable<(typeof entry)[1]>] => entry[1] !== undefined,
  );
  return {
    key,
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(named) as NonNullable<OutgoingRecord['headers']>,
  };
}

interface Sending {
  readonly kafka: KafkaEnvironment;
  readonly options: SendOptions;
  readonly streams: SendProcess;
}

async function sendAll(records: readonly PlacedRecord[], { kafka, options, streams }: Sending): Promise<number> {
  const output = new TextOutput(streams.stdout);
  const access = new KafkaAccess(createKafkaDriver(), () => kafka, { clock, logger });
  const senders = new Map<string, RecordSender>();
  let sent = 0;
  try {
    for (const { topic, place: file, ...record } of records) {
      const sender = senders.get(topic) ?? (await openSender(topic, access, options));
      senders.set(topic, sender);
      const place = await sender.send(record);
      sent += 1;
      await output.write(`${JSON.stringify({ file, topic, ...place })}\n`);
    }
    return exitOk;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const text = error instanceof Error ? error.message : 'unknown error';
    throw new CommandFailure(
      sent === 0 ? text : `${sent} of ${records.length} were sent, then: ${text}`,
      sent === 0 ? exitError : exitSomeFailed,
      { cause: error },
    );
  } finally {
    for (const sender of senders.values()) await sender.close();
  }
}

async function openSender(topic: string, access: KafkaAccess, { yes }: SendOptions): Promise<RecordSender> {
  const connection = (): KafkaConnection => ({ ...access.connection(), clientId: 'loyaltyd-send' });
  const sender = new RecordSender({ connection, topic, clock, logger, driver: access.driver });
  const remote = yes ? null : await sender.remoteBroker();
  if (remote !== null) {
    throw wrongUsage(`the brokers call themselves ${remote}, which is not this machine. To send: --yes`);
  }
  await sender.requireTopic();
  return sender;
}

const clock = new SystemClock();
const logger = createLogger({ level: 'silent', service: 'loyaltyd-send' });
