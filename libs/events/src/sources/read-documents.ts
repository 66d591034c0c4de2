import type { IgnoredReason } from '#intents/core';

import type { SourceRecord } from '../core/source-record.js';
import { headerText } from '../core/record-headers.js';
import type { Documents } from '../formats/source-format.js';
import type { MappedEvent, MapResult } from '../mapping/compiled-map.js';
import { personsNamed } from './named-persons.js';
import type { RecordToMap } from './record-to-map.js';
import type { SourceMapping } from './source-tables.js';

/** Events of one record, at most. */
export const eventsPerRecordMax = 50;

/** An event that a map has made, as the record of one of ours. */
export interface MappedRecord {
  /** JSON text of a structured CloudEvent. */
  readonly text: string;
  readonly value: Uint8Array;
  readonly headers: NonNullable<SourceRecord['headers']>;
}

/** What a record becomes. `detail` names paths and rules, never a value. */
export type MappedRecords = WhatIsMapped & {
  /** Whom it may be about, for where it is set aside. */
  readonly persons: () => readonly string[];
};

type WhatIsMapped =
  | { readonly kind: 'events'; readonly events: readonly MappedRecord[] }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason }
  | { readonly kind: 'refused'; readonly reason: 'unreadable' | 'invalid'; readonly detail: string };

const ignoredAs = { tombstone: 'tombstone', delete: 'row-deleted', update: 'row-changed' } as const satisfies Record<
  Extract<Documents, { kind: 'ignored' }>['reason'],
  IgnoredReason
>;

/**
 * Reads a record by the format of its source, and makes events of it by its map: all of them, or none.
 * @throws {UnavailableError} while what is needed to read it is away
 */
export async function mapRecord(record: RecordToMap, mapping: SourceMapping): Promise<MappedRecords> {
  const documents = await mapping.format.read({ value: record.value, headers: record.headers });
  const read = documents.kind === 'documents' ? documents.documents : null;
  const mapped = await mapDocuments(record, documents, mapping);
  return { ...mapped, persons: () => personsNamed(record, read, mapping, factsOf) };
}

/** Where nothing can be made of it: by its key and whatever looks like an address. */
export const personsInBytes = (record: RecordToMap): readonly string[] => personsNamed(record, null, null, factsOf);

async function mapDocuments(
  record: RecordToMap,
  documents: Documents,
  { map }: Pick<SourceMapping, 'map'>,
): Promise<WhatIsMapped> {
  if (documents.kind === 'unreadable') return { kind: 'refused', reason: 'unreadable', detail: documents.detail };
  if (documents.kind === 'ignored') return { kind: 'ignored', reason: ignoredAs[documents.reason] };
  const events: MappedEvent[] = [];
  for (const document of documents.documents) {
    const mapped = await map.map({ document, record: factsOf(record) });
    if (mapped.kind === 'refused') return refusedBy(mapped);
    events.push(...mapped.events);
  }
  if (events.length === 0) return { kind: 'ignored', reason: 'unmapped' };
  if (events.length > eventsPerRecordMax) return refusedBy({ path: 'events', rule: `more than ${eventsPerRecordMax}` });
  return { kind: 'events', events: events.map((event) => asRecord(event, record)) };
}

const refusedBy = ({ path, rule }: Pick<Extract<MapResult, { kind: 'refused' }>, 'path' | 'rule'>): WhatIsMapped => ({
  kind: 'refused',
  reason: 'invalid',
  detail: `map: ${path}: ${rule}`,
});

function factsOf({
  topic,
  key,
  headers = {},
  brokerAt,
}: RecordToMap): Parameters<SourceMapping['map']['map']>[0]['record'] {
  const texts = Object.keys(headers).map((name) => [name, headerText(headers, name) ?? ''] as const);
  return {
    topic,
    key: key === null ? null : Buffer.from(key).toString('utf8'),
    headers: Object.fromEntries(texts),
    timestamp: new Date(brokerAt).toISOString(),
  };
}

const structured = 'application/cloudevents+json';

/** What is kept of it later is what is judged of it now: the text of an event as its producer could have sent it. */
function asRecord(event: MappedEvent, { headers = {} }: RecordToMap): MappedRecord {
  const text = JSON.stringify({ specversion: '1.0', ...event });
  const { traceparent } = headers;
  return {
    text,
    value: Buffer.from(text),
    headers: { 'content-type': structured, ...(traceparent !== undefined && { traceparent }) },
  };
}
