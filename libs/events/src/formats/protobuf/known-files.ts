import type { INamespace } from 'protobufjs';

type Fields = Readonly<Record<string, { readonly type: string; readonly id: number }>>;

function file(packageName: string, messages: Readonly<Record<string, Fields>>): INamespace {
  const types: INamespace = {
    nested: Object.fromEntries(Object.entries(messages).map(([name, fields]) => [name, { fields }])),
  };
  return packageName.split('.').reduceRight((inner, name) => ({ nested: { [name]: inner } }), types);
}

/** What options are declared on: they say nothing of how bytes are read. */
const optionMessages = [
  'File',
  'Message',
  'Field',
  'Oneof',
  'Enum',
  'EnumValue',
  'Service',
  'Method',
  'ExtensionRange',
];

/** Files that producers import without registering them, beside those that the library brings: each as its makers publish it. */
export const knownFiles: Readonly<Record<string, INamespace>> = {
  'google/protobuf/descriptor.proto': file(
    'google.protobuf',
    Object.fromEntries(optionMessages.map((name) => [`${name}Options`, {}])),
  ),
  'google/type/date.proto': file('google.type', {
    Date: { year: { type: 'int32', id: 1 }, month: { type: 'int32', id: 2 }, day: { type: 'int32', id: 3 } },
  }),
  'google/type/money.proto': file('google.type', {
    Money: {
      currency_code: { type: 'string', id: 1 },
      units: { type: 'int64', id: 2 },
      nanos: { type: 'int32', id: 3 },
    },
  }),
  // Options alone.
  'confluent/meta.proto': { nested: {} },
  'confluent/type/decimal.proto': file('confluent.type', {
    Decimal: { value: { type: 'bytes', id: 1 }, precision: { type: 'uint32', id: 2 }, scale: { type: 'int32', id: 3 } },
  }),
};
