import { MalformedError } from '../byte-reader.js';
import { type Documents, type ExactDocument, oneDocument, unreadable } from '../source-format.js';
import { isFields } from './connect-json.js';

interface Envelope {
  readonly [name: string]: ExactDocument;
  readonly op: string;
}

/** What makes an object the envelope of a changed row. */
export function isEnvelope(document: ExactDocument): document is Envelope {
  return isFields(document) && typeof document['op'] === 'string' && ('after' in document || 'before' in document);
}

/**
 * The row as it is after the change. What was created or read by a snapshot counts; what was updated only where the source says so,
 * for most rows are changed many times after a sale is done; and nothing is made of a row that was deleted or a table that was emptied.
 */
export function readEnvelope(document: ExactDocument, updates: boolean): Documents {
  if (!isEnvelope(document)) return unreadable("value: not Debezium's envelope");
  switch (document.op) {
    case 'c':
    case 'r':
      return after(document);
    case 'u':
      return updates ? after(document) : { kind: 'ignored', reason: 'update' };
    case 'd':
    case 't':
      return { kind: 'ignored', reason: 'delete' };
    default:
      return unreadable('value.op: must be one of c, r, u, d and t');
  }
}

function after({ after: row }: Envelope): Documents {
  return isFields(row) ? oneDocument(row) : unreadable('value.after: required');
}

/** What `read` makes of what a format has read; null of what is no single document. */
export function ofDocument(documents: Documents, read: (document: ExactDocument) => Documents): Documents {
  if (documents.kind !== 'documents') return documents;
  const [document] = documents.documents;
  if (document === undefined) return documents;
  // What Connect writes for a row that is gone, where it writes anything.
  if (document === null) return { kind: 'ignored', reason: 'tombstone' };
  try {
    return read(document);
  } catch (error) {
    if (error instanceof MalformedError) return unreadable(`value: ${error.message}`);
    throw error;
  }
}
