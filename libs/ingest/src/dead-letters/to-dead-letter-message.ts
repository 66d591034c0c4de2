import type { Message } from 'kafkajs';

import type { DeadLetter } from '#intents';

/** `original`: the record's value and headers as they arrived; `none`: only where it came from and why. */
export type DeadLetterValue = 'original' | 'none';

/** A larger value is left out: brokers take 1 MiB by default, headers and framing included. */
export const deadLetterValueBytesMax = 900 * 1024;
/** Larger original headers are left out. */
export const deadLetterHeadersLengthMax = 64 * 1024;
/** Longest `x-detail`. */
export const deadLetterDetailLengthMax = 4 * 1024;

type Headers = Record<string, string | string[]>;

const ours = /^x-(?:original-|reason$|detail$|truncated$)/i;

/** A record that went around in a circle must not bring its old reason along. */
function originalHeaders({ headersText }: DeadLetter): Headers {
  const headers = JSON.parse(headersText) as Headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ours.test(name)));
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
