import type { Type, types } from 'avsc';
import { ByteReader, MalformedError } from '../byte-reader.js';
import {
  base64,
  decimalText,
  doubleText,
  floatText,
  type OpenDocument,
  setMember,
  uuidText,
  ValueBudget,
} from '../exact-values.js';
import type { ExactDocument } from '../source-format.js';
import type { AvroSchema, Logical } from './compile-avro.js';

interface Input {
  readonly reader: ByteReader;
  readonly budget: ValueBudget;
}

/** A field of a record, as the library has it. */
interface Member {
  readonly name: string;
  readonly type: Type;
}

type Read = (input: Input, depth: number) => ExactDocument;

/** Debezium's decimals of no fixed scale. */
const variableScale = 'io.debezium.data.VariableScaleDecimal';
const intMax = 2 ** 31;

/** A function that reads one value of the schema, which must take all of the bytes. It throws a MalformedError. */
export function avroReader(schema: AvroSchema): (bytes: Uint8Array) => ExactDocument {
  const read = new AvroReads(schema.logical).of(schema.type);
  return (bytes) => {
    const reader = new ByteReader(bytes);
    const document = read({ reader, budget: new ValueBudget() }, 0);
    // Another schema than the one that it was written by would leave some.
    if (reader.left > 0) throw new MalformedError('goes on after its end');
    return document;
  };
}

/** How each type of a schema is read; those that hold themselves are made once. */
class AvroReads {
  private readonly made = new Map<Type, Read>();

  constructor(private readonly logical: ReadonlyMap<Type, Logical>) {}

  of(type: Type): Read {
    const known = this.made.get(type);
    if (known !== undefined) return known;
    let read: Read | null = null;
    this.made.set(type, (input, depth) => (read ?? refuse)(input, depth));
    const plain = this.plain(type);
    const made: Read = (input, depth) => {
      input.budget.take(depth);
      return plain(input, depth);
    };
    read = made;
    this.made.set(type, made);
    return made;
  }

  private plain(type: Type): Read {
    switch (type.typeName) {
      case 'record':
      case 'error':
        return this.record(type as types.RecordType);
      case 'array':
        return this.array(type as types.ArrayType);
      case 'map':
        return this.map(type as types.MapType);
      case 'union:wrapped':
        return this.union(type as types.WrappedUnionType);
      case 'enum':
        return enumRead((type as types.EnumType).symbols);
      case 'fixed':
        return bytesRead(fixedBytes((type as types.FixedType).size), this.logical.get(type));
      case 'bytes':
        return bytesRead(countedBytes, this.logical.get(type));
      default:
        return primitives[type.typeName] ?? refuse;
    }
  }

  private record(type: types.RecordType): Read {
    const fields = (type.fields as readonly Member[]).map(({ name, type: each }) => ({ name, read: this.of(each) }));
    const read = (input: Input, depth: number): OpenDocument => {
      const document: OpenDocument = {};
      for (const field of fields) setMember(document, field.name, field.read(input, depth + 1));
      return document;
    };
    return type.name === variableScale ? this.variableScale(type) : read;
  }

  /** `scale` and `value`, in the order that the schema has them. */
  private variableScale(type: types.RecordType): Read {
    const names = (type.fields as readonly Member[]).map(({ name, type: { typeName } }) => `${name} ${typeName}`);
    if (names.join() !== 'scale int,value bytes') return refuse;
    return ({ reader }) => {
      const scale = reader.zigzag();
      return decimalText(countedBytes(reader), scale);
    };
  }

  private array(type: types.ArrayType): Read {
    const item = this.of(type.itemsType);
    return (input, depth) => {
      const list: ExactDocument[] = [];
      eachOfBlocks(input, () => list.push(item(input, depth + 1)));
      return list;
    };
  }

  private map(type: types.MapType): Read {
    const value = this.of(type.valuesType as Type);
    return (input, depth) => {
      const document: OpenDocument = {};
      eachOfBlocks(input, () => {
        const name = input.reader.text(input.reader.zigzag());
        setMember(document, name, value(input, depth + 1));
      });
      return document;
    };
  }

  /** As if the branch stood there alone. */
  private union(type: types.WrappedUnionType): Read {
    const branches = (type.types as readonly Type[]).map((branch) => this.of(branch));
    return (input, depth) => {
      const branch = branches[Number(input.reader.zigzag())];
      if (branch === undefined) throw new MalformedError('a branch that its union has not');
      return branch(input, depth);
    };
  }
}

const refuse: Read = () => {
  throw new MalformedError('a type that cannot be read');
};

function whole(value: number | bigint): string {
  return String(value);
}

function int(value: number | bigint): string {
  if (value < -intMax || value >= intMax) throw new MalformedError('an int of more than 32 bits');
  return String(value);
}

function boolean(byte: number): boolean {
  if (byte > 1) throw new MalformedError('a boolean that is neither');
  return byte === 1;
}

const primitives: Readonly<Record<string, Read>> = {
  null: () => null,
  boolean: ({ reader }) => boolean(reader.byte()),
  int: ({ reader }) => int(reader.zigzag()),
  long: ({ reader }) => whole(reader.zigzag()),
  float: ({ reader }) => floatText(reader.float()),
  double: ({ reader }) => doubleText(reader.double()),
  string: ({ reader }) => reader.text(reader.zigzag()),
};

function enumRead(symbols: readonly string[]): Read {
  return ({ reader }) => {
    const symbol = symbols[Number(reader.zigzag())];
    if (symbol === undefined) throw new MalformedError('a symbol that its enum has not');
    return symbol;
  };
}

type ReadBytes = (reader: ByteReader) => Uint8Array;

const countedBytes: ReadBytes = (reader) => reader.take(reader.zigzag());

function fixedBytes(size: number): ReadBytes {
  return (reader) => reader.take(size);
}

function bytesRead(bytes: ReadBytes, logical: Logical | undefined): Read {
  if (logical === undefined) return ({ reader }) => base64(bytes(reader));
  switch (logical.name) {
    case 'decimal':
      return ({ reader }) => decimalText(bytes(reader), logical.scale);
    case 'big-decimal':
      return ({ reader }) => {
        const inner = new ByteReader(bytes(reader));
        return decimalText(countedBytes(inner), inner.zigzag());
      };
    case 'uuid':
      return ({ reader }) => uuidText(bytes(reader));
    default:
      return ({ reader }) => base64(bytes(reader));
  }
}

/** Lists come in blocks; of one whose count is negative the bytes are told as well, which nobody needs here. */
function eachOfBlocks({ reader, budget }: Input, readItem: () => void): void {
  for (;;) {
    const count = reader.zigzag();
    // Nothing is read between empty blocks, and there is no end of them.
    if (count === 0 || count === 0n) return;
    const isSized = count < 0;
    if (isSized) reader.zigzag();
    const items = budget.allow(isSized ? -count : count);
    for (let item = 0; item < items; item += 1) readItem();
  }
}
