import { decodeUtf8 } from './read-json.js';
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
