import type { HeaderValue } from '#contracts';

import type { FetchedRecord } from '../source/source.js';

function textOf(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

function textsOf(value: HeaderValue): string | readonly string[] {
  if (value === undefined) return '';
  return typeof value === 'string' || value instanceof Uint8Array ? textOf(value) : value.map(textOf);
}

/** JSON text of a record's headers, as the timeline and the quarantine keep them. */
export function headersText(headers: FetchedRecord['headers']): string {
  if (headers === undefined) return '{}';
  const texts: [string, string | readonly string[]][] = [];
  for (const name of Object.keys(headers)) texts.push([name, textsOf(headers[name])]);
  return JSON.stringify(Object.fromEntries(texts));
}
