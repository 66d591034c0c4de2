import { CompiledSchemas } from '../registry/compiled-schemas.js';
import { type ReadBody, RegisteredFormat } from '../registry/registered-format.js';
import type { RegisteredSchema, SchemaRegistry } from '../registry/schema-registry.js';
import type { SourceFormat } from '../source-format.js';
import { compileAvro } from './compile-avro.js';
import { avroReader } from './read-avro.js';

/** Avro behind the id of its schema. @param subject see `SchemaRegistry.schema` */
export function avroFormat(registry: SchemaRegistry, subject: string | null): SourceFormat {
  const schemas = new CompiledSchemas<ReadBody>(registry, { type: 'AVRO', subject, compile: compileAvroBody });
  return new RegisteredFormat(schemas, false);
}

/** The library is loaded for the first schema: most installations have none. @throws where it is no Avro schema */
export async function compileAvroBody(schema: RegisteredSchema): Promise<ReadBody> {
  const { default: avro } = await import('avsc');
  const read = avroReader(compileAvro(avro, schema));
  return ({ body }) => read(body);
}
