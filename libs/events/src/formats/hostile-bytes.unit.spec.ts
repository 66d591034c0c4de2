import avro from 'avsc';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';

import { compileAvroBody } from './avro/avro-format.js';
import { MalformedError } from './byte-reader.js';
import { decimalText, floatText } from './exact-values.js';
import { schemaMembersMax } from './limits.js';
import { compileProtobufBody } from './protobuf/protobuf-format.js';
import type { ReadBody } from './registry/registered-format.js';
import { UnusableSchemaError } from './registry/schema-registry.js';
import { readFrame } from './schema-frame.js';
import type { ExactDocument } from './source-format.js';

const ref = { kind: 'id', id: 1 } as const;

async function avroReads(schema: unknown): Promise<(body: Uint8Array) => ExactDocument> {
  const read: ReadBody = await compileAvroBody({ type: 'AVRO', text: JSON.stringify(schema), references: [] });
  return (body) => read({ ref, indexes: [], body });
}

async function protobufReads(text: string, indexes = [0]): Promise<(body: Uint8Array) => ExactDocument> {
  const read = await compileProtobufBody({ type: 'PROTOBUF', text, references: [] });
  return (body) => read({ ref, indexes, body });
}

/** Why bytes are refused. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof MalformedError) return error.message;
    throw error;
  }
  return 'read';
}

/** A whole number as Avro writes it. */
function long(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}

/** Beyond it avsc itself writes other numbers than it was given. */
const longMax = 2 ** 51;

describe('a schema that declares very much', () => {
  const many = (count: number, each: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => each(index)).join('');
  const proto = (text: string): Promise<unknown> => protobufReads(`syntax = "proto3"; ${text}`);

  it.each<[string, () => Promise<unknown>]>([
    ['messages', () => proto(many(schemaMembersMax + 1, (index) => `message M${index} { int32 a = 1; }`))],
    [
      'fields of one message',
      () => proto(`message M { ${many(schemaMembersMax + 1, (index) => `int32 f${index} = ${index + 1};`)} }`),
    ],
    [
      'reserved numbers',
      () => proto(`message M { reserved ${many(schemaMembersMax + 1, (index) => `${index + 2}, `)}1; }`),
    ],
    [
      'records',
      () =>
        avroReads(
          Array.from({ length: schemaMembersMax + 1 }, (_, index) => ({
            type: 'record',
            name: `R${index}`,
            fields: [],
          })),
        ),
    ],
    [
      'fields in binary',
      () => {
        const field = Array.from({ length: schemaMembersMax + 1 }, (_, index) => ({
          name: `f${index}`,
          number: index + 1,
          type: 5,
        }));
        const bytes = descriptor.FileDescriptorProto.encode({ messageType: [{ name: 'M', field }] }).finish();
        return protobufReads(Buffer.from(bytes).toString('base64'));
      },
    ],
  ])('is not compiled, for that takes as long as their square: %s', async (_what, compile) => {
    await expect(compile()).rejects.toThrow(new UnusableSchemaError(`more than ${schemaMembersMax} members`));
  });
});

describe('hostile bytes of Avro', () => {
  it.each<[string, unknown, Buffer, string]>([
    ['a text longer than they are', 'string', long(2n ** 62n), 'ends too early'],
    ['a text of negative length', 'string', long(-1n), 'ends too early'],
    ['a text that is none', 'string', Buffer.from([2, 0xff]), 'text of invalid UTF-8'],
    ['bytes after the value', 'int', Buffer.from([2, 2]), 'goes on after its end'],
    ['nothing', 'double', Buffer.alloc(0), 'ends too early'],
    ['an int beyond 32 bits', 'int', long(2n ** 31n), 'an int of more than 32 bits'],
    ['a number beyond 64 bits', 'long', Buffer.alloc(11, 0xff), 'a number of more than 64 bits'],
    ['half a bit too many', 'long', Buffer.from([...Buffer.alloc(9, 0xff), 2]), 'a number of more than 64 bits'],
    ['a boolean that is neither', 'boolean', Buffer.from([2]), 'a boolean that is neither'],
    ['a branch beyond the union', ['null', 'int'], long(2n), 'a branch that its union has not'],
    ['a branch before the union', ['null', 'int'], long(-1n), 'a branch that its union has not'],
    ['no symbol', { type: 'enum', name: 'E', symbols: ['A'] }, long(1n), 'a symbol that its enum has not'],
    [
      'a decimal without digits',
      { type: 'bytes', logicalType: 'decimal', precision: 4, scale: 2 },
      long(0n),
      'a decimal without digits',
    ],
    ['a list of nothings without end', { type: 'array', items: 'null' }, long(2n ** 40n), 'more than 1048576 values'],
    [
      'the same, counted backwards',
      { type: 'array', items: 'null' },
      Buffer.concat([long(-(2n ** 62n)), long(0n)]),
      'more than 1048576 values',
    ],
    [
      'lists of nothings, one after the other',
      { type: 'array', items: { type: 'record', name: 'R', fields: [] } },
      Buffer.concat([...Array.from({ length: 3 }, () => long(500_000n)), long(0n)]),
      'more than 1048576 values',
    ],
  ])('are refused: %s', async (_name, schema, bytes, why) => {
    const read = await avroReads(schema);
    expect(refusal(() => read(bytes))).toBe(why);
  });

  it('do not lead deeper than a document may be', async () => {
    const read = await avroReads({ type: 'record', name: 'R', fields: [{ name: 'next', type: ['null', 'R'] }] });
    expect(read(Buffer.concat([...Array.from({ length: 60 }, () => long(1n)), long(0n)]))).toBeDefined();
    expect(refusal(() => read(Buffer.alloc(1_000_000, 2)))).toBe('nested deeper than 64');
  });

  it('reach no prototype by a name', async () => {
    const read = await avroReads({ type: 'map', values: 'boolean' });
    const entry = (name: string): Buffer => Buffer.concat([long(BigInt(name.length)), Buffer.from(name), Buffer.of(1)]);
    const bytes = Buffer.concat([long(2n), entry('__proto__'), entry('constructor'), long(0n)]);
    expect(JSON.stringify(read(bytes))).toBe('{"constructor":true}');
  });

  it('never end in anything but a document or a refusal, and what avsc writes is read', async () => {
    const schema = {
      type: 'record',
      name: 'R',
      fields: [
        { name: 'long', type: 'long' },
        { name: 'text', type: 'string' },
        { name: 'list', type: { type: 'array', items: ['null', 'R', 'double'] } },
        { name: 'map', type: { type: 'map', values: 'bytes' } },
      ],
    };
    const read = await avroReads(schema);
    const reference = avro.Type.forSchema(schema as never, { wrapUnions: 'always' });
    const value = fc.record({
      long: fc.integer({ min: -longMax, max: longMax }),
      text: fc.string({ unit: 'grapheme' }),
      map: fc.dictionary(fc.string(), fc.uint8Array()),
    });
    fc.assert(
      fc.property(value, fc.nat(), fc.nat(255), ({ long: number, text, map }, at, byte) => {
        const buffers = Object.fromEntries(Object.entries(map).map(([name, each]) => [name, Buffer.from(each)]));
        const bytes = reference.toBuffer({
          long: number,
          text: text.toWellFormed(),
          list: [null, { double: 0.1 }],
          map: buffers,
        });
        expect(read(bytes)).toMatchObject({ long: String(number), text: text.toWellFormed(), list: [null, '0.1'] });
        bytes[at % bytes.length] = byte;
        refusal(() => read(bytes));
      }),
      { numRuns: 500 },
    );
  });
});

const proto = `syntax = "proto3";
message M {
  int32 number = 1;
  string text = 2;
  M inner = 3;
  repeated fixed32 list = 4;
  map<string, M> map = 5;
  oneof one { string a = 6; M b = 7; }
  enum E { ZERO = 0; ONE = 1; }
  E kind = 8;
  bool constructor = 9;
}`;

describe('hostile bytes of Protobuf', () => {
  const tag = (number: number, wire: number): number => (number << 3) | wire;

  it.each<[string, number[], string]>([
    ['a text longer than they are', [tag(2, 2), 0xff, 0xff, 0x03], 'ends too early'],
    ['a text that is none', [tag(2, 2), 1, 0xff], 'text of invalid UTF-8'],
    ['a field of another kind', [tag(1, 2), 0], 'a field of another kind than the schema has'],
    ['a packed field where there is one value', [tag(8, 2), 1, 1], 'a field of another kind than the schema has'],
    ['a field without a number', [tag(0, 0), 0], 'a field without a number'],
    ['a field of no kind', [tag(15, 6)], 'a field of no kind'],
    ['an end without a group', [tag(15, 4)], 'a field of no kind'],
    ['a group that never ends', [tag(15, 3)], 'ends too early'],
    ['a group that another one ends', [tag(15, 3), tag(14, 4), 1], 'a group that another one ends'],
    [
      'groups without end',
      Array.from({ length: 100_000 }, () => tag(4, 3)),
      'a field of another kind than the schema has',
    ],
    ['half a packed number', [tag(4, 2), 3, 0, 0, 0], 'ends too early'],
  ])('are refused: %s', async (_name, bytes, why) => {
    const read = await protobufReads(proto);
    expect(refusal(() => read(Buffer.from(bytes)))).toBe(why);
  });

  it('do not lead deeper than a document may be, neither in messages nor in what is skipped', async () => {
    const read = await protobufReads(proto);
    let nested = Buffer.alloc(0);
    const length = (value: number): Buffer => Buffer.from(protobuf.Writer.create().uint32(value).finish());
    for (let depth = 0; depth < 200; depth += 1) {
      nested = Buffer.concat([Buffer.of(tag(3, 2)), length(nested.length), nested]);
    }
    expect(refusal(() => read(nested))).toBe('nested deeper than 64');
    const groups = Buffer.alloc(200_000, Buffer.from(protobuf.Writer.create().uint32(tag(15, 3)).finish()));
    expect(refusal(() => read(groups))).toBe('nested deeper than 64');
  });

  it('are what the language says: the last of several, one message of its parts, one of a oneof', async () => {
    const read = await protobufReads(proto);
    const message = (...bytes: number[]): ExactDocument => read(Buffer.from(bytes));
    expect(message(tag(1, 0), 1, tag(1, 0), 2)).toEqual({ number: '2' });
    expect(message(tag(3, 2), 2, tag(1, 0), 1, tag(3, 2), 3, tag(2, 2), 1, 0x78)).toEqual({
      inner: { number: '1', text: 'x' },
    });
    expect(message(tag(6, 2), 1, 0x78, tag(7, 2), 0)).toEqual({ b: {} });
    expect(message(tag(7, 2), 0, tag(6, 2), 1, 0x78)).toEqual({ a: 'x' });
    expect(message(tag(8, 0), 1)).toEqual({ kind: 'ONE' });
    expect(message(tag(8, 0), 7)).toEqual({ kind: '7' });
    expect(message(tag(9, 0), 1)).toEqual({ constructor: true });
    expect(message(tag(5, 2), 0)).toEqual({ map: { '': {} } });
    expect(message()).toEqual({});
  });

  it('name no message that the schema has not', async () => {
    const read = await protobufReads(proto, [0, 3]);
    expect(refusal(() => read(Buffer.alloc(0)))).toBe('names a message that its schema has not');
  });

  it.each([
    'message M {',
    'import "missing.proto"; message M {}',
    'message M { Missing x = 1; }',
    'message M {'.repeat(50_000),
  ])('of a schema that cannot be used are not read at all', async (text) => {
    const compiled = compileProtobufBody({ type: 'PROTOBUF', text: `syntax = "proto3"; ${text}`, references: [] });
    await expect(compiled).rejects.toThrow();
  });

  it('never end in anything but a document or a refusal, and what protobufjs writes is read', async () => {
    // The library takes what every object has for a field that is set.
    const plain = proto.replace('bool constructor = 9;', '');
    const read = await protobufReads(plain);
    const type = protobuf.parse(plain, { keepCase: true }).root.lookupType('M');
    const value = fc.record({
      number: fc.integer(),
      text: fc.string({ unit: 'grapheme', minLength: 1 }),
      list: fc.array(fc.nat()),
    });
    fc.assert(
      fc.property(value, fc.nat(), fc.nat(255), ({ number, text, list }, at, byte) => {
        const given = { number, text: text.toWellFormed(), list, map: { k: { number: 1 } } };
        const bytes = Buffer.from(type.encode(type.fromObject(given)).finish());
        expect(read(bytes)).toEqual({
          ...(number !== 0 && { number: String(number) }),
          text: given.text,
          ...(list.length > 0 && { list: list.map(String) }),
          map: { k: { number: '1' } },
        });
        bytes[at % bytes.length] = byte;
        refusal(() => read(bytes));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the frame of a record', () => {
  it.each<[string, number[]]>([
    ["value: names no schema: not Confluent's wire format", []],
    ["value: names no schema: not Confluent's wire format", [0x7b, 0x7d]],
    ["value: names no schema: not Confluent's wire format", [1, ...Buffer.alloc(16)]],
    ['value: ends too early', [0, 0, 0]],
    ['value: ends too early', [0, 0, 0, 0, 1]],
    ['value: message indexes: not so many', [0, 0, 0, 0, 1, 0xfe, 0xff, 0x7f]],
    ['value: message indexes: not so many', [0, 0, 0, 0, 1, 1]],
  ])('says why it is none: %s, %j', (why, bytes) => {
    expect(refusal(() => readFrame({ value: Buffer.from(bytes) }, true))).toBe(why);
  });

  it('says where it was looked for', () => {
    const headers = { __value_schema_id: Buffer.of(9) };
    const why = "headers.__value_schema_id: names no schema: not Confluent's wire format";
    expect(refusal(() => readFrame({ value: Buffer.alloc(9), headers }, false))).toBe(why);
  });
});

describe('exact numbers', () => {
  it('decimals have each digit, whatever their sign, scale and length', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        fc.integer({ min: -5, max: 50 }),
        (digits, scale) => {
          const size = 20;
          const hex = BigInt.asUintN(8 * size, digits)
            .toString(16)
            .padStart(2 * size, '0');
          const text = decimalText(Buffer.from(hex, 'hex'), scale);
          const [whole = '', fraction = ''] = text.split('.');
          expect(fraction.length).toBe(Math.max(0, scale));
          expect(BigInt(`${whole}${fraction}`)).toBe(scale < 0 ? digits * 10n ** BigInt(-scale) : digits);
        },
      ),
    );
    expect(decimalText(Buffer.from([0xff]), 2)).toBe('-0.01');
    expect(() => decimalText(Buffer.alloc(600, 1), 2)).toThrow(MalformedError);
    expect(() => decimalText(Buffer.of(1), 1_000_000_000)).toThrow(MalformedError);
  });

  it('floats are the shortest text that reads back as the same', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = floatText(value);
        expect(Object.is(Math.fround(Number(text)), value)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect([0.1, 16_777_216, -0, Infinity].map((value) => floatText(Math.fround(value)))).toEqual([
      '0.1',
      '16777216',
      '-0',
      'Infinity',
    ]);
  });
});
