import { readExactJsonText } from '#contracts/json';
import { type Documents, type ExactDocument, oneDocument, unreadable } from '../source-format.js';
import { connectPayload, isFields } from './connect-json.js';
import { isEnvelope, readEnvelope } from './envelope.js';

/**
 * Rows of an outbox table: as Debezium's event router writes them (the payload, its headers beside it), or as they stand in the table,
 * each in the envelope of its change. A payload that is JSON in a text is taken out of it.
 */
export function readOutbox(document: ExactDocument): Documents {
  if (typeof document === 'string') return readText(document);
  if (!isEnvelope(document)) return oneDocument(withPayload(document));
  const row = readEnvelope(document, false);
  return row.kind === 'documents' ? { ...row, documents: row.documents.map(withPayload) } : row;
}

function readText(text: string): Documents {
  const json = readExactJsonText(text);
  return json.ok ? oneDocument(withPayload(connectPayload(json.value))) : unreadable(`value: ${json.detail}`);
}

/** Only what was an object or a list can be told from a text that is meant as one. */
function withPayload(document: ExactDocument): ExactDocument {
  if (!isFields(document) || typeof document['payload'] !== 'string') return document;
  const json = readExactJsonText(document['payload']);
  const isJson = json.ok && typeof json.value === 'object' && json.value !== null;
  return isJson ? { ...document, payload: json.value } : document;
}
