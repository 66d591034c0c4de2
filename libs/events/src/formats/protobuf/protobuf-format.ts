import { MalformedError } from '../byte-reader.js';
import { CompiledSchemas } from '../registry/compiled-schemas.js';
import { type ReadBody, RegisteredFormat } from '../registry/registered-format.js';
import type { RegisteredSchema, SchemaRegistry } from '../registry/schema-registry.js';
import type { SourceFormat } from '../source-format.js';
import { compileProtobuf } from './compile-protobuf.js';
import { readProtobuf } from './read-protobuf.js';

/** Protobuf behind the id of its schema and the place of its message in it. @param subject see `SchemaRegistry.schema` */
export function protobufFormat(registry: SchemaRegistry, subject: string | null): SourceFormat {
  const schemas = new CompiledSchemas<ReadBody>(registry, { type: 'PROTOBUF', subject, compile: compileProtobufBody });
  return new RegisteredFormat(schemas, true);
}

/** The library is loaded for the first schema: most installations have none. @throws where it is no Protobuf schema */
export async function compileProtobufBody(schema: RegisteredSchema): Promise<ReadBody> {
  const { default: protobuf } = await import('protobufjs');
  const compiled = await compileProtobuf(protobuf, schema);
  return ({ indexes, body }) => {
    const message = compiled.messageAt(indexes);
    if (message === null) throw new MalformedError('names a message that its schema has not');
    return readProtobuf(message, body);
  };
}
