import { decodeUtf8, readJsonText } from '#contracts';
import type { ExactDocument } from '#events';

/** Each number as the text that was sent. */
function exact(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' ? source : value;
}

/** What a body says; undefined: it is no JSON, no UTF-8, or nests too deep. */
export function exactDocument(body: Uint8Array): ExactDocument | undefined {
  const text = decodeUtf8(body);
  return text === null ? undefined : (readJsonText(text, { revive: exact }) as ExactDocument | undefined);
}
