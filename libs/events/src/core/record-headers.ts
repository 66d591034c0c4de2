import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '#contracts';
import type { HeaderItem, HeaderValue, SourceRecord } from './source-record.js';

type Headers = NonNullable<SourceRecord['headers']>;

/** Header text; `null` when absent, `undefined` when its bytes are not UTF-8. Of several the last counts, as in Kafka. */
export function headerText(headers: Headers, name: string): string | null | undefined {
  if (!Object.hasOwn(headers, name)) return null;
  const value = last(headers[name]);
  if (value === null) return null;
  return typeof value === 'string' ? value : (decodeUtf8(value) ?? undefined);
}

/** The `content-type` header in lower case without parameters, or `''`. Its name is found in any case. */
export function contentType(headers: Headers): string {
  const name = Object.hasOwn(headers, 'content-type')
    ? 'content-type'
    : (Object.keys(headers).find((key) => key.toLowerCase() === 'content-type') ?? 'content-type');
  const text = headerText(headers, name) ?? '';
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** RFC 6839: `application/json`, `text/json` and whatever ends in `+json`. */
export function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

function last(value: HeaderValue): HeaderItem {
  return typeof value === 'string' || value instanceof Uint8Array ? value : (value?.at(-1) ?? null);
}

/** A value as JSON can hold it without changing it: bytes that are no UTF-8 are not made into text. */
type HeaderText = string | null | { readonly base64: string };

function textOf(value: HeaderItem): HeaderText {
  if (value === null || typeof value === 'string') return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return isUtf8(bytes) ? bytes.toString() : { base64: bytes.toString('base64') };
}

function isSeveral<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

function textsOf(value: HeaderValue): HeaderText | readonly HeaderText[] {
  if (value === undefined) return null;
  return isSeveral<HeaderItem>(value) ? value.map(textOf) : textOf(value);
}

/** JSON text of a record's headers, as the timeline and the quarantine keep them; `headersOf` reads it. */
export function headersText(headers: SourceRecord['headers']): string {
  if (headers === undefined) return '{}';
  const texts: [string, HeaderText | readonly HeaderText[]][] = [];
  for (const name of Object.keys(headers)) texts.push([name, textsOf(headers[name])]);
  return JSON.stringify(Object.fromEntries(texts));
}

function itemOf(text: HeaderText): HeaderItem {
  return text === null || typeof text === 'string' ? text : Buffer.from(text.base64, 'base64');
}

/** The headers that `headersText` was made of: what is decoded from them is the same. */
export function headersOf(text: string): Record<string, HeaderItem | readonly HeaderItem[]> {
  const texts = JSON.parse(text) as Readonly<Record<string, HeaderText | readonly HeaderText[]>>;
  const read = Object.entries(texts).map(([name, value]): [string, HeaderItem | readonly HeaderItem[]] => [
    name,
    isSeveral<HeaderText>(value) ? value.map(itemOf) : itemOf(value),
  ]);
  return Object.fromEntries(read);
}
