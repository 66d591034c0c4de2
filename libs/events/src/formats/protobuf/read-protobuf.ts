import type { Enum, Field as PlainField, MapField as PlainMapField, Type } from 'protobufjs';
import { jsonDepthMax } from '#contracts/json';
import { ByteReader, MalformedError } from '../byte-reader.js';
import { base64, doubleText, floatText, type OpenDocument, setMember, ValueBudget } from '../exact-values.js';
import type { ExactDocument } from '../source-format.js';
import { wellKnown } from './well-known.js';

const varintWire = 0;
const fixed64Wire = 1;
const lengthWire = 2;
const groupWire = 3;
const groupEndWire = 4;
const fixed32Wire = 5;

/** What is needed of one: the library's two kinds have no common type. */
type Field = Pick<PlainField, 'name' | 'type' | 'map' | 'repeated' | 'resolvedType' | 'partOf'> &
  Partial<Pick<PlainMapField, 'keyType'>>;

interface Input {
  readonly reader: ByteReader;
  readonly budget: ValueBudget;
  readonly depth: number;
}

interface Scalar {
  readonly wire: number;
  readonly read: (reader: ByteReader) => ExactDocument;
}

/** What is short is below 2^28: no sign and no other width changes it. */
const narrowed = (narrow: (value: bigint) => bigint) => (reader: ByteReader) => {
  const value = reader.varint();
  return String(typeof value === 'number' ? value : narrow(value));
};
const signed = (bits: number) => narrowed((value) => BigInt.asIntN(bits, value));
const unsigned = (bits: number) => narrowed((value) => BigInt.asUintN(bits, value));

const scalars: Readonly<Record<string, Scalar>> = {
  int32: { wire: varintWire, read: signed(32) },
  int64: { wire: varintWire, read: signed(64) },
  uint32: { wire: varintWire, read: unsigned(32) },
  uint64: { wire: varintWire, read: unsigned(64) },
  sint32: { wire: varintWire, read: (reader) => String(reader.zigzag()) },
  sint64: { wire: varintWire, read: (reader) => String(reader.zigzag()) },
  bool: { wire: varintWire, read: (reader) => BigInt(reader.varint()) !== 0n },
  fixed32: { wire: fixed32Wire, read: (reader) => String(reader.fixed32(false)) },
  sfixed32: { wire: fixed32Wire, read: (reader) => String(reader.fixed32(true)) },
  float: { wire: fixed32Wire, read: (reader) => floatText(reader.float()) },
  fixed64: { wire: fixed64Wire, read: (reader) => String(reader.fixed64(false)) },
  sfixed64: { wire: fixed64Wire, read: (reader) => String(reader.fixed64(true)) },
  double: { wire: fixed64Wire, read: (reader) => doubleText(reader.double()) },
  string: { wire: lengthWire, read: (reader) => reader.text(reader.varint()) },
  bytes: { wire: lengthWire, read: (reader) => base64(reader.take(reader.varint())) },
};

/** What no bytes say is not in the document: a zero that was meant and one that was forgotten are the same in Protobuf. */
export function readProtobuf(type: Type, bytes: Uint8Array): ExactDocument {
  return readMessage(type, bytes, { budget: new ValueBudget(), depth: 0 });
}

function readMessage(type: Type, bytes: Uint8Array, { budget, depth }: Omit<Input, 'reader'>): ExactDocument {
  budget.take(depth);
  const input = { reader: new ByteReader(bytes), budget, depth: depth + 1 };
  const message = new OpenMessage(type);
  while (input.reader.left > 0) {
    readField(message, tagOf(input.reader), input);
  }
  const fields = message.close(input);
  const plain = wellKnown.get(type.fullName);
  return plain === undefined ? fields : plain(fields);
}

interface Tag {
  readonly number: number;
  readonly wire: number;
}

const wireBits = 3;
const wireMask = 7;

function tagOf(reader: ByteReader): Tag {
  const tag = reader.varint();
  const isSmall = typeof tag === 'number';
  const number = isSmall ? tag >>> wireBits : Number(tag >> BigInt(wireBits));
  if (number === 0) throw new MalformedError('a field without a number');
  return { number, wire: isSmall ? tag & wireMask : Number(tag & BigInt(wireMask)) };
}

function readField(message: OpenMessage, tag: Tag, input: Input): void {
  const field = message.type.fieldsById[tag.number];
  if (field === undefined) {
    skip(tag, input.reader, input.depth);
    return;
  }
  if (field.map) message.put(field, readEntry(field, tag, input));
  else if (isMessage(field)) message.hold(field, messageBytes(tag, input));
  else readScalars(message, field, tag, input);
}

function isMessage({ resolvedType }: Field): boolean {
  return resolvedType !== null && 'fields' in resolvedType;
}

/** A group, which is a message between two tags, has left the language long ago. */
function messageBytes({ wire }: Tag, { reader }: Input): Uint8Array {
  if (wire !== lengthWire) throw otherWire();
  return reader.take(reader.varint());
}

function otherWire(): MalformedError {
  return new MalformedError('a field of another kind than the schema has');
}

function scalarOf({ type, resolvedType }: Field): Scalar {
  const scalar = resolvedType === null ? scalars[type] : enumScalar(resolvedType as Enum);
  if (scalar === undefined) throw new MalformedError('a field of a type that cannot be read');
  return scalar;
}

/** By its name; a number that has none stays one. */
function enumScalar({ valuesById }: Enum): Scalar {
  return {
    wire: varintWire,
    read: (reader) => {
      const number = Number(BigInt.asIntN(32, BigInt(reader.varint())));
      return valuesById[number] ?? String(number);
    },
  };
}

/** Several in one field where they are packed, whatever the schema says of that. */
function readScalars(message: OpenMessage, field: Field, { wire }: Tag, { reader, budget, depth }: Input): void {
  const scalar = scalarOf(field);
  if (wire === scalar.wire) {
    budget.take(depth);
    message.put(field, scalar.read(reader));
    return;
  }
  if (wire !== lengthWire || !field.repeated) throw otherWire();
  const packed = new ByteReader(reader.take(reader.varint()));
  while (packed.left > 0) {
    budget.take(depth);
    message.put(field, scalar.read(packed));
  }
}

/** The name of a member, and what stands under it. */
interface Entry {
  readonly name: string;
  readonly value: ExactDocument;
}

const absentKeys: Readonly<Record<string, string>> = { string: '', bool: 'false' };

function readEntry(field: Field, tag: Tag, input: Input): Entry {
  const reader = new ByteReader(messageBytes(tag, input));
  const entry = { reader, budget: input.budget, depth: input.depth + 1 };
  input.budget.take(entry.depth);
  const { keyType = '' } = field;
  const key = scalars[keyType];
  let name = absentKeys[keyType] ?? '0';
  let value: ExactDocument | undefined;
  while (reader.left > 0) {
    const { number, wire } = tagOf(reader);
    if (number === 1 && wire === key?.wire) name = nameOf(key.read(reader));
    else if (number === 2) value = readEntryValue(field, { number, wire }, entry);
    else skip({ number, wire }, reader, entry.depth);
  }
  return { name, value: value ?? absentValue(field, entry) };
}

function readEntryValue(field: Field, tag: Tag, input: Input): ExactDocument {
  const { resolvedType } = field;
  if (isMessage(field)) return readMessage(resolvedType as Type, messageBytes(tag, input), input);
  const scalar = scalarOf(field);
  if (tag.wire !== scalar.wire) throw otherWire();
  input.budget.take(input.depth);
  return scalar.read(input.reader);
}

/** Keys are texts, whole numbers or booleans. */
function nameOf(key: ExactDocument): string {
  return typeof key === 'string' ? key : String(key === true);
}

/** In a map a key alone stands for a value that is zero. */
function absentValue(field: Field, input: Input): ExactDocument {
  if (isMessage(field)) return readMessage(field.resolvedType as Type, new Uint8Array(0), input);
  if (field.resolvedType !== null) return (field.resolvedType as Enum).valuesById[0] ?? '0';
  if (field.type === 'bool') return false;
  return field.type === 'string' || field.type === 'bytes' ? '' : '0';
}

/** A field that the schema has not. */
function skip({ number, wire }: Tag, reader: ByteReader, depth: number): void {
  switch (wire) {
    case varintWire:
      reader.varint();
      return;
    case fixed64Wire:
      reader.take(8);
      return;
    case lengthWire:
      reader.take(reader.varint());
      return;
    case fixed32Wire:
      reader.take(4);
      return;
    case groupWire:
      skipGroup(number, reader, depth + 1);
      return;
    default:
      throw new MalformedError('a field of no kind');
  }
}

function skipGroup(number: number, reader: ByteReader, depth: number): void {
  if (depth > jsonDepthMax) throw new MalformedError(`nested deeper than ${jsonDepthMax}`);
  let tag = tagOf(reader);
  for (; tag.wire !== groupEndWire; tag = tagOf(reader)) skip(tag, reader, depth);
  if (tag.number !== number) throw new MalformedError('a group that another one ends');
}

/** A message whose fields are read one by one. */
class OpenMessage {
  private readonly document: OpenDocument = {};
  /** Bytes of messages: of one that comes several times the parts are one message. */
  private readonly held = new Map<Field, Uint8Array[]>();

  constructor(readonly type: Type) {}

  put(field: Field, value: ExactDocument | Entry): void {
    this.leaveOthers(field);
    const { document } = this;
    const known = Object.hasOwn(document, field.name) ? document[field.name] : undefined;
    if (field.map) {
      const { name, value: inner } = value as Entry;
      const members = (known ?? {}) as OpenDocument;
      setMember(members, name, inner);
      setMember(document, field.name, members);
    } else if (!field.repeated) setMember(document, field.name, value as ExactDocument);
    else if (known === undefined) setMember(document, field.name, [value as ExactDocument]);
    else (known as ExactDocument[]).push(value as ExactDocument);
  }

  hold(field: Field, bytes: Uint8Array): void {
    this.leaveOthers(field);
    const parts = this.held.get(field);
    if (parts === undefined) this.held.set(field, [bytes]);
    else parts.push(bytes);
  }

  /** Of an `oneof` the last one counts. */
  private leaveOthers({ partOf, name }: Field): void {
    if (partOf === null) return;
    for (const other of partOf.fieldsArray) {
      if (other.name === name) continue;
      Reflect.deleteProperty(this.document, other.name);
      this.held.delete(other);
    }
  }

  close({ budget, depth }: Input): OpenDocument {
    for (const [field, parts] of this.held) {
      const type = field.resolvedType as Type;
      const messages = field.repeated ? parts : [joined(parts)];
      for (const bytes of messages) this.put(field, readMessage(type, bytes, { budget, depth }));
    }
    return this.document;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}
