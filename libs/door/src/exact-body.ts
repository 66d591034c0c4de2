import { readExactJson } from '#contracts/json';
import type { ExactDocument } from '#events';

/** What a body says; undefined: it is no JSON, no UTF-8, or nests too deep. */
export function exactDocument(body: Uint8Array): ExactDocument | undefined {
  const read = readExactJson(body);
  return read.ok ? read.value : undefined;
}
