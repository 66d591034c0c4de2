import type { Documents, ExactDocument, SourceFormat } from '../source-format.js';
import { connectPayload } from './connect-json.js';
import { ofDocument, readEnvelope } from './envelope.js';
import { readOutbox } from './outbox.js';

/** What Kafka Connect has written, in whatever way: `inner` reads the bytes. */
class ConnectFormat implements SourceFormat {
  constructor(
    private readonly inner: SourceFormat,
    private readonly readDocument: (document: ExactDocument) => Documents,
  ) {}

  read(record: Parameters<SourceFormat['read']>[0]): Documents | Promise<Documents> {
    const read = this.inner.read(record);
    return read instanceof Promise ? read.then((each) => this.of(each)) : this.of(read);
  }

  private of(documents: Documents): Documents {
    return ofDocument(documents, (document) => this.readDocument(document));
  }
}

/** Changed rows. @param updates whether a row that was changed counts, too */
export function debeziumFormat(inner: SourceFormat, updates: boolean): SourceFormat {
  return new ConnectFormat(inner, (document) => {
    const payload = connectPayload(document);
    // A row that is gone, with its schema.
    return payload === null ? { kind: 'ignored', reason: 'tombstone' } : readEnvelope(payload, updates);
  });
}

/** Rows of an outbox. */
export function outboxFormat(inner: SourceFormat): SourceFormat {
  return new ConnectFormat(inner, (document) => {
    const payload = connectPayload(document);
    return payload === null ? { kind: 'ignored', reason: 'tombstone' } : readOutbox(payload);
  });
}
