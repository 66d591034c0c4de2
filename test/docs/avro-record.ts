import avro from 'avsc';

import type { SchemaRegistry } from '#events/formats';

/** Decimals as text, as many digits behind the point as the schema says: two's complement, of as few bytes as it takes. */
class DecimalText extends avro.types.LogicalType {
  private readonly scale: number;

  constructor(schema: avro.Schema, options?: unknown) {
    super(schema, options);
    this.scale = (schema as unknown as { readonly scale: number }).scale;
  }

  protected override _fromValue(): never {
    throw new Error('these are only written');
  }

  protected override _toValue(text: unknown): Buffer {
    const [whole = '', fraction = ''] = String(text).split('.');
    const units = BigInt(whole + fraction.padEnd(this.scale, '0'));
    const bytes = Math.floor(units.toString(2).length / 8) + 1;
    const hex = BigInt.asUintN(bytes * 8, units).toString(16);
    return Buffer.from(hex.padStart(bytes * 2, '0'), 'hex');
  }
}

const schemaId = 7;

/** The value of a record: Confluent's frame and Avro. @param schema JSON text */
export function avroBytes(schema: string, value: unknown): Buffer {
  const type = avro.Type.forSchema(JSON.parse(schema) as avro.Schema, { logicalTypes: { decimal: DecimalText } });
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, type.toBuffer(value)]);
}

/** A registry that has this schema alone. */
export function registryOf(text: string): SchemaRegistry {
  const schema = { type: 'AVRO', text, references: [] };
  const only = { settings: () => ({ url: 'http://registry.invalid' }), schema: () => Promise.resolve(schema) };
  return only as unknown as SchemaRegistry;
}
