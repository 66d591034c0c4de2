import type { IHeaders, Message } from 'kafkajs';

import { headersOf } from '#contracts';
import type { HeaderItem } from '#contracts';
import type { DeadLetter } from '#intents';

/** `original`: the record's value and headers as they arrived; `none`: only where it came from and why. */
export type DeadLetterValue = 'original' | 'none';

/** A larger value is left out: brokers take 1 MiB by default, headers and framing included. */
export const deadLetterValueBytesMax = 900 * 1024;
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

function mustOmit({ value, headersText, isUnreadable }: DeadLetter): boolean {
  if (isUnreadable || headersText.length > deadLetterHeadersLengthMax) return true;
  return value !== null && value.byteLength > deadLetterValueBytesMax;
}

function bytesOf(value: Uint8Array | null): Buffer | null {
  return value === null ? null : Buffer.from(value);
}

/** A quarantined record as a message of the dead-letter topic (contracts.md section 1). Its key is the quarantine id. */
export function toDeadLetterMessage(letter: DeadLetter, mode: DeadLetterValue | 'truncated'): Message {
  const isTruncated = mode === 'truncated' || (mode === 'original' && mustOmit(letter));
  const isWhole = mode === 'original' && !isTruncated;
  return {
    key: String(letter.quarantineId),
    value: isWhole ? bytesOf(letter.value) : null,
    headers: {
      ...(isWhole ? originalHeaders(letter) : {}),
      'x-original-topic': letter.topic,
      'x-original-partition': String(letter.partition),
      'x-original-offset': String(letter.offset),
      'x-reason': letter.reason,
      'x-detail': letter.detail.slice(0, deadLetterDetailLengthMax),
      ...(isTruncated ? { 'x-truncated': 'true' } : {}),
    },
  };
}
