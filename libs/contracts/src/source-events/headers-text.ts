import { isUtf8 } from 'node:buffer';

import type { HeaderItem, HeaderValue, SourceRecord } from './source-record.js';

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
