import { MalformedError } from '../byte-reader.js';
import { readFrame, type SchemaFrame } from '../schema-frame.js';
import {
  type Documents,
  type ExactDocument,
  oneDocument,
  type SourceFormat,
  tombstone,
  unreadable,
} from '../source-format.js';
import type { CompiledSchema, CompiledSchemas } from './compiled-schemas.js';

/** Reads the body of a record. @throws MalformedError */
export type ReadBody = (frame: SchemaFrame) => ExactDocument;

/** Records whose schema stands in the registry. */
export class RegisteredFormat implements SourceFormat {
  constructor(
    private readonly schemas: CompiledSchemas<ReadBody>,
    /** Whether places of messages follow the schema's id, as with Protobuf. */
    private readonly hasIndexes: boolean,
  ) {}

  read({ value, headers }: Parameters<SourceFormat['read']>[0]): Documents | Promise<Documents> {
    if (value === null) return tombstone;
    const frame = orUnreadable(() => readFrame({ value, headers }, this.hasIndexes));
    if ('kind' in frame) return frame;
    const schema = this.schemas.get(frame.ref);
    return schema instanceof Promise ? schema.then((each) => readWith(each, frame)) : readWith(schema, frame);
  }
}

function readWith(schema: CompiledSchema<ReadBody>, frame: SchemaFrame): Documents {
  if (!schema.ok) return unreadable(schema.detail);
  return orUnreadable(() => {
    try {
      return oneDocument(schema.compiled(frame));
    } catch (error) {
      throw error instanceof MalformedError ? new MalformedError(`value: ${error.message}`) : error;
    }
  });
}

function orUnreadable<Read>(read: () => Read): Read | Documents {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedError) return unreadable(error.message);
    throw error;
  }
}
