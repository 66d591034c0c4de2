import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { crc32, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Consumer, IHeaders, Kafka, Message } from 'kafkajs';
import { crc32c } from '../records/checksum.js';
import type { KafkaConnection } from '../driver.js';

/** The way to a broker, which can be cut. */
export interface BrokerLine {
  readonly proxy: TcpProxy;
  readonly connection: () => KafkaConnection;
}

/** Every connection of a client with this `connection` goes through the proxy, whatever address the broker tells. */
export async function brokerLine(brokers: string): Promise<BrokerLine> {
  const [host = '', port = ''] = brokers.split(':');
  const proxy = await TcpProxy.open({ host, port: Number(port) });
  const connection = (): KafkaConnection => ({
    brokers: [brokers],
    clientId: 'loyaltyd-spec',
    socketFactory: ({ onConnect }) => connect({ host: '127.0.0.1', port: proxy.port }, onConnect),
  });
  return { proxy, connection };
}

export interface ReadMessage {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Byte by byte, to be produced again. */
  readonly copy: Message;
}

function textsOf(headers: IHeaders | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
}

/** Reads a topic from its beginning, as another application would. */
export class TopicReader {
  readonly messages: ReadMessage[] = [];

  private constructor(private readonly consumer: Consumer) {}

  static async open(kafka: Kafka, topic: string): Promise<TopicReader> {
    const reader = new TopicReader(kafka.consumer({ groupId: `${topic}.reader`, maxWaitTimeInMs: 100 }));
    await reader.consumer.connect();
    await reader.consumer.subscribe({ topics: [topic], fromBeginning: true });
    await reader.consumer.run({
      eachMessage: async ({ message }) => {
        const key = message.key?.toString() ?? null;
        const value = message.value?.toString() ?? null;
        const copy = { key: message.key, value: message.value, headers: message.headers ?? {} };
        reader.messages.push({ key, value, headers: textsOf(message.headers), copy });
      },
    });
    return reader;
  }

  close(): Promise<void> {
    return this.consumer.disconnect();
  }
}

/** Stands between a client and a server, and can be cut. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {}

  /** Listens on a free loopback port. */
  static async open(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, target);
    server.on('connection', (socket) => {
      proxy.join(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks every connection and every new one. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  heal(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(socket: Socket): void {
    if (this.isCut) {
      socket.destroy();
      return;
    }
    const upstream = connect(this.target);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}

/** A record as producers send it. */
export interface SentRecord {
  readonly offsetDelta: number;
  readonly timestampDelta?: number;
  readonly key?: Buffer | null;
  readonly value?: Buffer | null;
  readonly headers?: readonly (readonly [string, Buffer | null])[];
}

export interface SentBatch {
  readonly baseOffset: number;
  readonly records: readonly SentRecord[];
  /** By default not compressed. */
  readonly codec?: 'none' | 'gzip' | 'zstd';
  readonly baseTimestamp?: number;
  /** By default that of the last record. */
  readonly lastOffsetDelta?: number;
  /** Bits of the attributes beside the codec. */
  readonly attributes?: number;
  readonly producerId?: number;
  /** Changes what is sent. */
  readonly damage?: (payload: Buffer) => Buffer;
  /** Another number of records than there are. */
  readonly count?: number;
}

const codecs = {
  none: { number: 0, compress: (bytes: Buffer) => bytes },
  gzip: { number: 1, compress: (bytes: Buffer) => gzipSync(bytes) },
  zstd: { number: 4, compress: (bytes: Buffer) => zstdCompressSync(bytes) },
};

function varint(number: number): Buffer {
  let left = number < 0 ? -number * 2 - 1 : number * 2;
  const bytes: number[] = [];
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

function part(bytes: Buffer | null): Buffer[] {
  return bytes === null ? [varint(-1)] : [varint(bytes.length), bytes];
}

/** One record of a batch of format 2. */
function recordBytes({ offsetDelta, timestampDelta = 0, key = null, value = null, headers = [] }: SentRecord): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(timestampDelta),
    varint(offsetDelta),
    ...part(key),
    ...part(value),
    varint(headers.length),
    ...headers.flatMap(([name, text]) => [...part(Buffer.from(name)), ...part(text)]),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

const absent = { codec: 'none', baseTimestamp: 1_000, attributes: 0, producerId: -1 } as const;

/** A record batch of format 2 as a broker has it. */
export function batchBytes(sent: SentBatch): Buffer {
  const { records } = sent;
  const { codec, baseTimestamp, attributes, producerId, lastOffsetDelta, count } = {
    ...{ ...absent, lastOffsetDelta: records.at(-1)?.offsetDelta ?? 0, count: records.length },
    ...sent,
  };
  const compressed = codecs[codec].compress(Buffer.concat(records.map(recordBytes)));
  const payload = sent.damage === undefined ? compressed : sent.damage(compressed);
  const head = Buffer.alloc(61);
  head.writeBigInt64BE(BigInt(sent.baseOffset), 0);
  head.writeInt32BE(49 + payload.length, 8);
  head.writeInt8(2, 16);
  head.writeInt16BE(codecs[codec].number | attributes, 21);
  head.writeInt32BE(lastOffsetDelta, 23);
  head.writeBigInt64BE(BigInt(baseTimestamp), 27);
  head.writeBigInt64BE(BigInt(baseTimestamp + 99), 35);
  head.writeBigInt64BE(BigInt(producerId), 43);
  head.writeInt32BE(count, 57);
  const bytes = Buffer.concat([head, payload]);
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}

/** A message of format 0 or 1, as brokers had them before 0.11. */
export interface OldMessage {
  readonly offset: number;
  readonly format: 0 | 1;
  readonly timestamp?: number;
  readonly key?: Buffer | null;
  readonly value: Buffer | null;
  /** The value is a set of messages, compressed by it. */
  readonly codec?: 'none' | 'gzip';
}

function lengthAndBytes(bytes: Buffer | null): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes?.length ?? -1);
  return bytes === null ? length : Buffer.concat([length, bytes]);
}

export function oldMessageBytes({
  offset,
  format,
  timestamp = 0,
  key = null,
  value,
  codec = 'none',
}: OldMessage): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(timestamp));
  const body = Buffer.concat([
    Buffer.from([format, codecs[codec].number]),
    ...(format === 0 ? [] : [time]),
    lengthAndBytes(key),
    lengthAndBytes(value),
  ]);
  const head = Buffer.alloc(16);
  head.writeBigInt64BE(BigInt(offset), 0);
  head.writeInt32BE(4 + body.length, 8);
  head.writeUInt32BE(crc32(body), 12);
  return Buffer.concat([head, body]);
}

/** Messages in a compressed one, which has the offset of the last. In format 1 their own offsets count from the first. */
export function compressedMessages(messages: readonly OldMessage[], format: 0 | 1): Buffer {
  const first = messages[0]?.offset ?? 0;
  const within = messages.map((one) =>
    oldMessageBytes({ ...one, offset: format === 0 ? one.offset : one.offset - first }),
  );
  const value = gzipSync(Buffer.concat(within));
  return oldMessageBytes({ offset: messages.at(-1)?.offset ?? 0, format, timestamp: 7, value, codec: 'gzip' });
}
