import type * as protobufjs from 'protobufjs';
import type { INamespace, Root, Type } from 'protobufjs';
import type { IDescriptorProto, IEnumDescriptorProto } from 'protobufjs/ext/descriptor.js';
import { MemberCount } from '../registry/count-members.js';
import type { RegisteredSchema } from '../registry/schema-registry.js';
import { knownFiles } from './known-files.js';

type Protobuf = Pick<typeof protobufjs, 'Enum' | 'Namespace' | 'Root' | 'Type' | 'common' | 'parse'>;

/** One file of a schema, taken apart. */
interface ProtoFile {
  readonly content: INamespace;
  /** The messages at its top, in their order, and those within each. */
  readonly messages: readonly MessageName[];
  readonly imports: readonly string[];
}

interface MessageName {
  readonly name: string;
  readonly within: readonly MessageName[];
}

/** Where a file says it in binary: some registries keep what Python registers as it came. */
const base64Pattern = /^[\w+/]+={0,2}$/;

/** Messages of one schema, by the places that records name. */
export class ProtobufSchema {
  constructor(
    private readonly root: Root,
    private readonly messages: readonly MessageName[],
  ) {}

  /** Null: the file has no such message. */
  messageAt(indexes: readonly number[]): Type | null {
    let within = this.messages;
    let name: string | null = null;
    for (const index of indexes) {
      const message = within[index];
      if (message === undefined) return null;
      ({ name, within } = message);
    }
    return name === null ? null : this.root.lookupType(name);
  }
}

/** @throws where it is no Protobuf schema, or something that it imports is missing */
export async function compileProtobuf(protobuf: Protobuf, schema: RegisteredSchema): Promise<ProtobufSchema> {
  const files = new Map<string, ProtoFile>();
  const members = new MemberCount();
  for (const { name, text } of schema.references) files.set(name, await readFile(protobuf, text, members));
  const main = await readFile(protobuf, schema.text, members);
  const root = new protobuf.Root();
  const added = new Set<string>();
  const add = (file: ProtoFile): void => {
    for (const name of file.imports.filter((each) => !added.has(each))) {
      added.add(name);
      const imported = files.get(name) ?? knownFile(protobuf, name);
      if (imported === null) throw new Error('an import is missing');
      add(imported);
    }
    root.addJSON(file.content.nested ?? {});
  };
  add(main);
  root.resolveAll();
  return new ProtobufSchema(root, main.messages);
}

const libraryFile = /^google\/protobuf\/\w+\.proto$/;

function knownFile(protobuf: Protobuf, name: string): ProtoFile | null {
  const ofLibrary = libraryFile.test(name) ? protobuf.common.get(name) : null;
  const content = Object.hasOwn(knownFiles, name) ? knownFiles[name] : ofLibrary;
  return content === null || content === undefined ? null : { content, messages: [], imports: [] };
}

async function readFile(protobuf: Protobuf, text: string, members: MemberCount): Promise<ProtoFile> {
  if (base64Pattern.test(text.trim())) return readDescriptor(protobuf, text.trim(), members);
  // Whatever is declared ends by the one; numbers that are reserved stand between the others.
  members.addFound(text, ';,');
  const root = new protobuf.Root();
  const { imports = [], weakImports = [] } = protobuf.parse(text, root, { keepCase: true });
  return fileOf(protobuf, root, [...imports, ...weakImports]);
}

interface FileDescriptor {
  readonly package?: string;
  readonly syntax?: string;
  readonly dependency?: readonly string[];
  readonly messageType?: readonly IDescriptorProto[];
  readonly enumType?: readonly IEnumDescriptorProto[];
}

/** What a decoded descriptor declares: each object within its lists. */
function membersIn(descriptor: object): number {
  let count = 0;
  const open: object[] = [descriptor];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    count += 1;
    open.push(
      ...Object.values(each).filter(
        (value): value is object => typeof value === 'object' && value !== null && !(value instanceof Uint8Array),
      ),
    );
  }
  return count;
}

/** Without what is declared on options: it says nothing of how bytes are read. */
async function readDescriptor(protobuf: Protobuf, text: string, members: MemberCount): Promise<ProtoFile> {
  const { default: descriptor } = await import('protobufjs/ext/descriptor.js');
  const file = descriptor.FileDescriptorProto.decode(Buffer.from(text, 'base64')) as FileDescriptor;
  members.add(membersIn(file));
  const root = new protobuf.Root();
  const context = { edition: file.syntax === 'proto3' ? 'proto3' : 'proto2', keepCase: true };
  const holder = file.package ? root.define(file.package) : root;
  for (const each of file.messageType ?? []) holder.add(protobuf.Type.fromDescriptor(each, context));
  for (const each of file.enumType ?? []) holder.add(protobuf.Enum.fromDescriptor(each, context));
  return fileOf(protobuf, root, file.dependency ?? []);
}

function fileOf(
  { Type: messageType, Namespace: namespace }: Protobuf,
  root: Root,
  imports: readonly string[],
): ProtoFile {
  type Holder = Pick<Root, 'nestedArray'>;
  const messagesIn = (holder: Holder): MessageName[] =>
    holder.nestedArray.flatMap((each) => {
      if (each instanceof messageType) return [{ name: each.fullName, within: messagesIn(each) }];
      // A package; a service is one, too, and holds none.
      return each instanceof namespace ? messagesIn(each) : [];
    });
  return { content: root.toJSON(), messages: messagesIn(root), imports };
}
