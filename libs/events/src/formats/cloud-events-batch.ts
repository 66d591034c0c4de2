import { decodeUtf8, readJsonText, type Reviver } from '#contracts';
import { contentType, type SourceRecord } from '#events/core';
import { rawJson } from '#platform';

/** Of one batch: they are recorded together. */
const batchEventsMax = 500;

const mediaType = 'application/cloudevents-batch+json';

/** The events of a batch, as each would have been sent alone, to the last digit; or why the batch is refused as a whole. */
export type EventTexts = { readonly texts: readonly string[] } | { readonly refused: string };

/** Each number as it was written. */
const asWritten: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? rawJson(source) : value;

/**
 * What stands in a batch of the CloudEvents JSON format, 1.0.2, section 4.
 * @returns null: it is no batch of several, and is read, or refused, as any other record
 */
export function textsOfBatch({ value, headers = {} }: Omit<SourceRecord, 'now'>): EventTexts | null {
  if (value === null || contentType(headers) !== mediaType) return null;
  const text = decodeUtf8(value);
  const events = text === null ? undefined : readJsonText(text, { revive: asWritten });
  if (!Array.isArray(events) || events.length < 2) return null;
  if (events.length > batchEventsMax) return { refused: `value: more than ${batchEventsMax} events` };
  return { texts: events.map((event) => JSON.stringify(event)) };
}
