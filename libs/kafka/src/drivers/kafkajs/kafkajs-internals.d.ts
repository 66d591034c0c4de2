/** What we change and use of KafkaJS 2.2.4, which declares no types for it. */
declare module 'kafkajs/src/protocol/requests/fetch/index.js' {
  export interface FetchParameters {
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[];
    }[];
  }

  export interface FetchExchange {
    readonly request: unknown;
    readonly requestTimeout: number;
    readonly response: {
      decode(bytes: Buffer): Promise<unknown>;
      parse(decoded: unknown): Promise<unknown>;
    };
  }

  const definition: {
    readonly versions: readonly string[];
    protocol: (by: { readonly version: number }) => (parameters: FetchParameters) => FetchExchange;
  };
  export default definition;
}

declare module 'kafkajs/src/protocol/sasl/oauthBearer/index.js' {
  export function request(
    options: object,
    token: { readonly value: string; readonly extensions: Readonly<Record<string, string>> },
  ): Promise<{ encode(): Promise<Buffer> }>;
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(bytes: Buffer);
    readBoolean(): boolean;
    readInt16(): number;
    readInt32(): number;
    readInt64(): bigint;
    readString(): string;
    readBytes(): Buffer | null;
    readUVarIntString(): string | null;
    readTaggedFields(): unknown;
    readUVarIntArray<Item>(read: (decoder: Decoder) => Item): Item[];
    readArray<Item>(read: (decoder: Decoder) => Item): Item[];
    readArrayAsync<Item>(read: (decoder: Decoder) => Promise<Item>): Promise<Item[]>;
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    writeBoolean(value: boolean): this;
    writeInt32(value: number): this;
    writeArray(texts: readonly string[]): this;
    writeUVarInt(value: number): this;
    writeUVarIntString(value: string): this;
    writeUVarIntArray(array: readonly Encoder[]): this;
  }
}

declare module 'kafkajs/src/protocol/recordBatch/v0/decoder.js' {
  import type Decoder from 'kafkajs/src/protocol/decoder.js';

  const decode: (decoder: Decoder) => Promise<{ readonly records: readonly object[] }>;
  export default decode;
}

declare module 'kafkajs/src/network/connection.js' {
  import type { ISocketFactory } from 'kafkajs';

  export default class Connection {
    readonly socketFactory: ISocketFactory;
    /** By `process.hrtime`; null until it has logged in. */
    readonly authenticatedAt: [number, number] | null;
    /** Milliseconds, as KafkaJS' own 64-bit number; 0: for ever. */
    readonly sessionLifetime: { toString(): string };
    isAuthenticated(): boolean;
    connect(): Promise<unknown>;
  }
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface PendingRequest {
    /** Epoch ms. */
    readonly sentAt: number;
    readonly requestTimeout: number;
    timeoutRequest(): void;
  }

  export default class RequestQueue {
    constructor(options: object);
    readonly pending: readonly unknown[];
    throttledUntil: number;
    throttleCheckTimeoutId: unknown;
    readonly enforceRequestTimeout: boolean;
    /** Milliseconds. */
    readonly requestTimeout: number;
    readonly inflight: ReadonlyMap<number, PendingRequest>;
    readonly isConnected: () => boolean;
    requestTimeoutIntervalId: NodeJS.Timeout;
    scheduleRequestTimeoutCheck(): void;
    push(request: object): void;
    fulfillRequest(response: object): void;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  export default class ConsumerGroup {
    /** Milliseconds. */
    maxWaitTime: number;
    fetch(nodeId: string): Promise<readonly { isEmpty(): boolean }[]>;
  }
}
