import { readExactJson } from '#contracts/json';
import { type Documents, oneDocument, type SourceFormat, tombstone, unreadable } from './source-format.js';

/** JSON, and nothing else. */
export const jsonFormat: SourceFormat = {
  read: ({ value }) => (value === null ? tombstone : readJsonDocument(value)),
};

export function readJsonDocument(bytes: Uint8Array): Documents {
  const json = readExactJson(bytes);
  return json.ok ? oneDocument(json.value) : unreadable(`value: ${json.detail}`);
}
