import { compileAvroBody } from '../avro/avro-format.js';
import type { FormatName } from '../open-format.js';
import { compileProtobufBody } from '../protobuf/protobuf-format.js';
import { MissingSchemaError, type SchemaRegistry, UnusableSchemaError } from './schema-registry.js';

/** What there is of a subject's newest schema. `detail` holds nothing of it. */
export type SchemaLook =
  { readonly kind: 'readable' | 'absent' } | { readonly kind: 'unreadable'; readonly detail: string };

const unreadable = (detail: string): SchemaLook => ({ kind: 'unreadable', detail });

/** Whether records behind the newest schema of a subject could be read. @throws UnavailableError */
export async function lookAtSchema(registry: SchemaRegistry, format: FormatName, subject: string): Promise<SchemaLook> {
  const [type, compile] = format === 'protobuf' ? ['PROTOBUF', compileProtobufBody] : ['AVRO', compileAvroBody];
  try {
    const schema = await registry.newest(subject);
    if (schema.type !== type) return unreadable(`is not ${type}`);
    return await compile(schema).then(
      () => ({ kind: 'readable' }),
      // Deliberately without the cause: it may quote the schema, which is somebody else's text.
      () => unreadable('cannot be compiled'),
    );
  } catch (error) {
    if (error instanceof MissingSchemaError) return { kind: 'absent' };
    if (error instanceof UnusableSchemaError) return unreadable(`cannot be used: ${error.message}`);
    throw error;
  }
}
