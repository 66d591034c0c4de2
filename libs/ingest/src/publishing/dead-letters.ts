import type { IHeaders, Message } from 'kafkajs';
import { headersOf, type HeaderItem } from '#contracts';
import { publishDeadLetters, type DeadLetter } from '#intents';
import { BackgroundLoop, type Clock, type Database, type Logger, type Random } from '#platform';
import { encryptionFor, encryptLetter } from './encrypted-letter.js';
import { isTooLarge, TopicProducer, type TopicProducerSettings } from './topic-producer.js';

/** Where dead letters go: the outgoing counterpart of `Source`. */
export interface DeadLetterSink {
  /** Resolves once the broker has all of them; bounded in time. */
  send(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * `original`: the record's value and headers as they arrived; `none`: only where it came from and why; `encrypted`: what
 * arrived and the detail, for whoever has the private key.
 */
export type DeadLetterValue = 'original' | 'none' | 'encrypted';

/** A larger value is left out: brokers take 1 MiB by default, headers and framing included. */
export const deadLetterValueBytesMax = 900 * 1024;
/** The same of what is encrypted: base64 makes four bytes of three. */
export const encryptedValueBytesMax = (deadLetterValueBytesMax / 4) * 3;
/** Larger original headers are left out. */
export const deadLetterHeadersLengthMax = 64 * 1024;
/** Longest `x-detail`. */
export const deadLetterDetailLengthMax = 4 * 1024;

const ours = /^x-(?:original-|reason$|detail$|truncated$)/i;

type Sendable = Buffer | string;

function sendable(item: HeaderItem): Sendable[] {
  if (item === null) return [];
  return [typeof item === 'string' ? item : Buffer.from(item)];
}

/** KafkaJS sends no header without a value. It counts as absent, and what stands before it under its name is overridden. */
function sendableValue(value: HeaderItem | readonly HeaderItem[]): Sendable | Sendable[] | null {
  if (value === null || typeof value === 'string' || value instanceof Uint8Array) return sendable(value)[0] ?? null;
  return (value.at(-1) ?? null) === null ? null : value.flatMap(sendable);
}

/** A record that went around in a circle must not bring its old reason along. */
function originalHeaders({ headersText }: DeadLetter): IHeaders {
  const headers = Object.entries(headersOf(headersText)).filter(([name]) => !ours.test(name));
  const sent = headers.map(([name, value]): [string, Sendable | Sendable[] | null] => [name, sendableValue(value)]);
  return Object.fromEntries(sent.filter((header): header is [string, Sendable | Sendable[]] => header[1] !== null));
}

function mustOmit({ value, headersText, isUnreadable }: DeadLetter, valueBytesMax: number): boolean {
  if (isUnreadable || headersText.length > deadLetterHeadersLengthMax) return true;
  return value !== null && value.byteLength > valueBytesMax;
}

/** Where it came from and why: what is readable of every letter. */
function originOf({ topic, partition, offset, reason }: DeadLetter): IHeaders {
  return {
    'x-original-topic': topic,
    'x-original-partition': String(partition),
    'x-original-offset': String(offset),
    'x-reason': reason,
  };
}

function detailOf({ detail }: DeadLetter): string {
  return detail.slice(0, deadLetterDetailLengthMax);
}

const truncated = { 'x-truncated': 'true' };

function bytesOf(value: Uint8Array | null): Buffer | null {
  return value === null ? null : Buffer.from(value);
}

/** A quarantined record as a message of the dead-letter topic (contracts.md section 1). Its key is the quarantine id. */
export function toDeadLetterMessage(letter: DeadLetter, mode: 'original' | 'none' | 'truncated'): Message {
  const isTruncated = mode === 'truncated' || (mode === 'original' && mustOmit(letter, deadLetterValueBytesMax));
  const isWhole = mode === 'original' && !isTruncated;
  return {
    key: String(letter.quarantineId),
    value: isWhole ? bytesOf(letter.value) : null,
    headers: {
      ...(isWhole ? originalHeaders(letter) : {}),
      ...originOf(letter),
      'x-detail': detailOf(letter),
      ...(isTruncated ? truncated : {}),
    },
  };
}

/** What RFC 7515 section 9.2.1 calls a JWE in compact form. */
const encryptedType = 'application/jose';

/** The same, of which nobody reads more than where it came from and why without the private key. */
export async function toEncryptedMessage(letter: DeadLetter, publicKey: string, isShort: boolean): Promise<Message> {
  const isTruncated = isShort || mustOmit(letter, encryptedValueBytesMax);
  const { quarantineId, lastOffset, key, value, headersText, topic, partition, offset, reason } = letter;
  const content = {
    head: { quarantineId, topic, partition, offset, lastOffset, reason, detail: detailOf(letter) },
    ...(isTruncated ? { key: null, value: null, headersText: '{}' } : { key, value, headersText }),
    isTruncated,
  };
  return {
    key: String(quarantineId),
    value: await encryptLetter(content, publicKey),
    headers: { 'content-type': encryptedType, ...originOf(letter), ...(isTruncated ? truncated : {}) },
  };
}

/** One send may take so long, connecting included: a transaction is open meanwhile. */
const deadLetterSendMsMax = 20_000;

interface KafkaDeadLetterSinkSettings extends Omit<TopicProducerSettings, 'timeMsMax'> {
  readonly value: DeadLetterValue;
  /** In PEM, as it is now; asked where letters are encrypted. */
  readonly publicKey: () => string | null;
}

/** Publishes to the dead-letter topic. */
export class KafkaDeadLetterSink implements DeadLetterSink {
  private readonly producer: TopicProducer;

  constructor(
    private readonly settings: KafkaDeadLetterSinkSettings,
    tools: { readonly clock: Clock; readonly logger: Logger },
  ) {
    // A key of no use is told at the start, not with the first letter.
    if (settings.value === 'encrypted') encryptionFor(this.publicKey);
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
      await this.producer.send(await Promise.all(letters.map((letter) => this.messageOf(letter, false))));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The topic takes less than brokers do by default: one by one, and without its value what is too large alone.
      for (const letter of letters) await this.sendAlone(letter);
    }
  }

  private async sendAlone(letter: DeadLetter): Promise<void> {
    try {
      await this.producer.send([await this.messageOf(letter, false)]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      await this.producer.send([await this.messageOf(letter, true)]);
    }
  }

  private async messageOf(letter: DeadLetter, isTruncated: boolean): Promise<Message> {
    const { value } = this.settings;
    if (value === 'encrypted') return toEncryptedMessage(letter, this.publicKey, isTruncated);
    return toDeadLetterMessage(letter, isTruncated ? 'truncated' : value);
  }

  private get publicKey(): string {
    return this.settings.publicKey() ?? '';
  }
}

/** How long an idle publisher waits before it looks for what other replicas left behind. */
const deadLetterPollMs = 10_000;

interface DeadLetterPublisherTools {
  readonly database: Database;
  readonly quarantineKey: Uint8Array;
  readonly sink: DeadLetterSink;
  /** Letters of one send, together. */
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Moves what is in the dead-letter outbox to its topic, at least once, in the order of quarantine. */
export function deadLetterPublisher(tools: DeadLetterPublisherTools): BackgroundLoop {
  const { database, quarantineKey, sink, bytesMax } = tools;
  const workOnce = async (): Promise<number> => {
    const published = await publishDeadLetters(database, {
      bytesMax,
      quarantineKey,
      send: (letters) => sink.send(letters),
    });
    return published === 0 ? deadLetterPollMs : 0;
  };
  const close = (): Promise<void> => sink.close();
  return new BackgroundLoop({ ...tools, workOnce, close, failureMessage: 'dead letters were not published' });
}
