import { decodeUtf8, readJsonText } from '#contracts';
import { isRawJson, rawJson } from '#platform';

/** An event as it goes into its topic: the bytes of its record, and what its headers say. */
export interface HttpEvent {
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

type ReadEvents =
  | { readonly kind: 'events'; readonly events: readonly HttpEvent[] }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly detail: string };

export interface HttpRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** More come in several requests. */
export const batchEventsMax = 100;

const structuredType = 'application/cloudevents+json';
const batchType = 'application/cloudevents-batch+json';

const refuse = (status: 400 | 413 | 415, detail: string): ReadEvents => ({ kind: 'refused', status, detail });

function mediaTypeOf(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Ingest reads no other. */
function isUtf8Said(contentType: string): boolean {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? [];
  return charset.toLowerCase() === 'utf-8';
}

/**
 * A request to events by the HTTP protocol binding of CloudEvents 1.0.2: structured, binary or a batch. Nothing of an event is
 * checked: its record holds what was sent, byte by byte; of a batch each event by itself, its numbers as they were written.
 */
export function readHttpEvents(request: HttpRequest): ReadEvents {
  const contentType = [request.headers['content-type'] ?? ''].flat().join();
  const mediaType = mediaTypeOf(contentType);
  if (!isUtf8Said(contentType)) return refuse(415, 'content-type: only UTF-8 is read');
  if (mediaType === structuredType) {
    return { kind: 'events', events: [{ value: request.body, headers: { 'content-type': structuredType } }] };
  }
  if (mediaType === batchType) return readBatch(request.body);
  if (mediaType.startsWith('application/cloudevents')) {
    return refuse(415, `content-type: only ${structuredType} and ${batchType} are read`);
  }
  return readBinary(request, contentType);
}

/** A number stays the text that it was. */
function asWritten(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? rawJson(source) : value;
}

function readBatch(body: Uint8Array): ReadEvents {
  const text = decodeUtf8(body);
  if (text === null) return refuse(400, 'the body is no UTF-8');
  const batch = readJsonText(text, { revive: asWritten });
  if (!Array.isArray(batch)) return refuse(400, 'the body is no list of events');
  if (batch.length > batchEventsMax) return refuse(413, `at most ${batchEventsMax} events at once`);
  const isEvent = (each: unknown): boolean =>
    typeof each === 'object' && each !== null && !Array.isArray(each) && !isRawJson(each);
  if (!batch.every(isEvent)) return refuse(400, 'the body is no list of events');
  const headers = { 'content-type': structuredType };
  return { kind: 'events', events: batch.map((each) => ({ value: Buffer.from(JSON.stringify(each)), headers })) };
}

const attributeHeader = /^ce-([a-z0-9]{1,64})$/;

/** As the binding says: quotes are taken off, then percent-encoding; null where that is broken. */
function decodedHeader(text: string): string | null {
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? [];
  const plain = quoted === undefined ? text : quoted.replaceAll(/\\(.)/gs, '$1');
  if (!/^[\u0020-\u007e]*$/.test(plain)) return null;
  try {
    return decodeURIComponent(plain);
  } catch {
    return null;
  }
}

function readBinary({ headers, body }: HttpRequest, contentType: string): ReadEvents {
  if (headers['ce-specversion'] === undefined) {
    return refuse(415, `neither a structured CloudEvent (${structuredType}) nor a binary one (headers ce-*)`);
  }
  const record: Record<string, string> = contentType === '' ? {} : { 'content-type': contentType };
  for (const [name, value] of Object.entries(headers)) {
    const [, attribute] = attributeHeader.exec(name) ?? [];
    if (attribute === undefined || value === undefined) continue;
    const text = typeof value === 'string' ? decodedHeader(value) : null;
    if (text === null) return refuse(400, `${name}: must be one value, percent-encoded`);
    record[`ce_${attribute}`] = text;
  }
  return { kind: 'events', events: [{ value: body, headers: record }] };
}
