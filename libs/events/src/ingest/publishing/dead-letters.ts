import { headersOf, type HeaderItem } from '#events/core';
import { publishDeadLetters, recordFingerprint, type DeadLetter } from '#intents';
import {
  isTooLarge,
  type OutgoingHeaders,
  type OutgoingRecord,
  TopicProducer,
  type TopicProducerSettings,
} from '#kafka';
import { BackgroundLoop, type Clock, type Database, type Logger, type Random } from '#platform';

/** Where dead letters go: the outgoing counterpart of `Source`. */
export interface DeadLetterSink {
  /** Resolves once the broker has all of them; bounded in time. */
  send(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * `original`: the record's value and headers as they arrived, and the detail; `none`: where it came from, why, and its
 * fingerprint. A topic forgets nothing on demand; what an erasure must reach is in quarantine.
 */
export type DeadLetterValue = 'original' | 'none';

/** A larger value is left out: brokers take 1 MiB by default, headers and framing included. */
export const deadLetterValueBytesMax = 900 * 1024;
/** Larger original headers are left out. */
export const deadLetterHeadersLengthMax = 64 * 1024;
/** Longest `x-detail`. */
export const deadLetterDetailLengthMax = 4 * 1024;

const ours = /^x-(?:original-|reason$|fingerprint$|detail$|truncated$)/i;

type Sendable = Buffer | string;

function sendable(item: HeaderItem): Sendable[] {
  if (item === null) return [];
  return [typeof item === 'string' ? item : Buffer.from(item)];
}

/** No header is sent without a value. It counts as absent, and what stands before it under its name is overridden. */
function sendableValue(value: HeaderItem | readonly HeaderItem[]): Sendable | Sendable[] | null {
  if (value === null || typeof value === 'string' || value instanceof Uint8Array) return sendable(value)[0] ?? null;
  return (value.at(-1) ?? null) === null ? null : value.flatMap(sendable);
}

/** A record that went around in a circle must not bring its old reason along. */
function originalHeaders({ headersText }: DeadLetter): OutgoingHeaders {
  const headers = Object.entries(headersOf(headersText)).filter(([name]) => !ours.test(name));
  const sent = headers.map(([name, value]): [string, Sendable | Sendable[] | null] => [name, sendableValue(value)]);
  return Object.fromEntries(sent.filter((header): header is [string, Sendable | Sendable[]] => header[1] !== null));
}

function mustOmit({ value, headersText, isUnreadable }: DeadLetter): boolean {
  if (isUnreadable || headersText.length > deadLetterHeadersLengthMax) return true;
  return value !== null && value.byteLength > deadLetterValueBytesMax;
}

/** Where it came from, why, and which record it is, as far as it can be opened. */
function originOf(letter: DeadLetter, macKey: Uint8Array): OutgoingHeaders {
  const { topic, partition, offset, reason, isUnreadable } = letter;
  return {
    'x-original-topic': topic,
    'x-original-partition': String(partition),
    'x-original-offset': String(offset),
    'x-reason': reason,
    ...(isUnreadable ? {} : { 'x-fingerprint': recordFingerprint(letter, macKey).toString('hex') }),
  };
}

function bytesOf(value: Uint8Array | null): Buffer | null {
  return value === null ? null : Buffer.from(value);
}

/**
 * A quarantined record as a message of the dead-letter topic (contracts.md section 1). Its key is the quarantine id. A
 * detail names paths, which may be a producer's own words: it goes with the original only.
 * @param macKey keys the fingerprint
 */
export function toDeadLetterMessage(
  letter: DeadLetter,
  { mode, macKey }: { readonly mode: DeadLetterValue | 'truncated'; readonly macKey: Uint8Array },
): OutgoingRecord {
  const isTruncated = mode === 'truncated' || (mode === 'original' && mustOmit(letter));
  const isWhole = mode === 'original' && !isTruncated;
  return {
    key: String(letter.quarantineId),
    value: isWhole ? bytesOf(letter.value) : null,
    headers: {
      ...(isWhole ? originalHeaders(letter) : {}),
      ...originOf(letter, macKey),
      ...(mode === 'none' ? {} : { 'x-detail': letter.detail.slice(0, deadLetterDetailLengthMax) }),
      ...(isTruncated ? { 'x-truncated': 'true' } : {}),
    },
  };
}

/** One send may take so long, connecting included: a transaction is open meanwhile. */
const deadLetterSendMsMax = 20_000;

interface KafkaDeadLetterSinkSettings extends Omit<TopicProducerSettings, 'timeMsMax'> {
  readonly value: DeadLetterValue;
  /** Keys fingerprints. */
  readonly macKey: Uint8Array;
}

/** Publishes to the dead-letter topic. */
export class KafkaDeadLetterSink implements DeadLetterSink {
  private readonly producer: TopicProducer;

  constructor(
    private readonly settings: KafkaDeadLetterSinkSettings,
    tools: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.producer = new TopicProducer({ ...settings, timeMsMax: deadLetterSendMsMax }, tools);
  }

  async send(letters: readonly DeadLetter[]): Promise<void> {
    await this.producer.withinTime(() => this.sendAll(letters));
  }

  close(): Promise<void> {
    return this.producer.close();
  }

  private async sendAll(letters: readonly DeadLetter[]): Promise<void> {
    try {
      await this.producer.send(letters.map((letter) => this.messageOf(letter)));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The topic takes less than brokers do by default: one by one, and without its value what is too large alone.
      for (const letter of letters) await this.sendAlone(letter);
    }
  }

  private async sendAlone(letter: DeadLetter): Promise<void> {
    try {
      await this.producer.send([this.messageOf(letter)]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      await this.producer.send([this.messageOf(letter, 'truncated')]);
    }
  }

  private messageOf(letter: DeadLetter, mode: DeadLetterValue | 'truncated' = this.settings.value): OutgoingRecord {
    return toDeadLetterMessage(letter, { mode, macKey: this.settings.macKey });
  }
}

/** How long an idle publisher waits before it looks for what other replicas left behind. */
const deadLetterPollMs = 10_000;

interface DeadLetterPublisherTools {
  readonly database: Database;
  readonly quarantineKey: Uint8Array;
  readonly sink: DeadLetterSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Moves what is in the dead-letter outbox to its topic, at least once, in the order of quarantine. */
export function deadLetterPublisher(tools: DeadLetterPublisherTools): BackgroundLoop {
  const { database, quarantineKey, sink } = tools;
  const workOnce = async (): Promise<number> => {
    const published = await publishDeadLetters(database, {
      bytesMax: deadLetterValueBytesMax,
      quarantineKey,
      send: (letters) => sink.send(letters),
    });
    return published === 0 ? deadLetterPollMs : 0;
  };
  const close = (): Promise<void> => sink.close();
  return new BackgroundLoop({ ...tools, workOnce, close, failureMessage: 'dead letters were not published' });
}
