import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import kafkajs from 'kafkajs';
import type { Admin, AdminConfig, Consumer, ConsumerConfig, KafkaConfig, Producer, ProducerConfig } from 'kafkajs';
import Connection from 'kafkajs/src/network/connection.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

import './quiet-fetches.js';

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its queue below
const scheduleAsKafkaJsDoes = RequestQueue.prototype.scheduleCheckPendingRequests;

/**
 * KafkaJS 2.2.4 sets a timer into the past, over and over, on each connection on which no request waits to be sent: it woke
 * the process about once a millisecond, and Node warned of each (tulios/kafkajs#1751). A request that has to wait sets the
 * timer itself. For all clients of this process.
 */
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) scheduleAsKafkaJsDoes.call(this);
};

/** A request that a broker never answers is noticed by this share of its time later, within these bounds, ms. */
const timeoutCheckShare = 1 / 15;
const timeoutCheckMs = { min: 100, max: 2_000 } as const;

/**
 * KafkaJS looks every 100 ms, on each connection, whether an answer is overdue: two thirds of what woke a daemon that had nothing
 * to do. Answers are waited for for many seconds, so looking every second or two is as good.
 */
RequestQueue.prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
  if (!this.enforceRequestTimeout) return;
  this.destroy();
  const everyMs = Math.max(timeoutCheckMs.min, Math.min(timeoutCheckMs.max, this.requestTimeout * timeoutCheckShare));
  // eslint-disable-next-line no-restricted-globals -- stands in for KafkaJS' own, which no simulation replays either
  this.requestTimeoutIntervalId = setInterval(() => {
    for (const request of [...this.inflight.values()]) {
      // eslint-disable-next-line no-restricted-properties -- KafkaJS has set `sentAt` by it
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    }
    if (!this.isConnected()) this.destroy();
  }, everyMs);
};

type SocketFactory = NonNullable<KafkaConfig['socketFactory']>;

const keepAliveAfterMs = 60_000;

/** As KafkaJS connects by itself. */
const plainSocket: SocketFactory = ({ host, port, ssl, onConnect }) => {
  // Without TLS KafkaJS hands over `false`, whatever its types say.
  const socket = (ssl as unknown)
    ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect)
    : connectTcp({ host, port }, onConnect);
  return socket.setKeepAlive(true, keepAliveAfterMs);
};

/** Part of what KafkaJS logs about it: kafka-connection.ts takes that for ordinary. */
export const disconnectedText = 'the client has disconnected';

/**
 * KafkaJS cuts an address at its first colon: `[::1]:9092` becomes a host `[` and no port (tulios/kafkajs#1589). An IPv6
 * address goes through it by a name without colons, as Windows writes it in paths, and is itself again for the socket.
 */
const ipv6Suffix = '.ipv6-literal.net';

function withoutColons(broker: string): string {
  const [, address, port] = /^\[([^\]]+)\]:(\d+)$/.exec(broker) ?? [];
  return address === undefined ? broker : `${address.replaceAll(':', '-')}${ipv6Suffix}:${port ?? ''}`;
}

/** What KafkaJS says of a broker, with its IPv6 address as people write it. */
export function withAddresses(text: string): string {
  return text.replaceAll(
    /([0-9a-f-]+)\.ipv6-literal\.net/gi,
    (_name, address: string) => `[${address.replaceAll('-', ':')}]`,
  );
}

function hostOf(name: string): string {
  return name.endsWith(ipv6Suffix) ? name.slice(0, -ipv6Suffix.length).replaceAll('-', ':') : name;
}

/** The sockets of one consumer, producer or admin client. */
class ClientSockets {
  private readonly open = new Set<Socket>();
  /** KafkaJS knows of them that they are connected. */
  private readonly connected = new WeakSet<Socket>();
  isRefusing = false;

  constructor(private readonly make: SocketFactory) {
    socketsOf.set(this.connect, this);
  }

  readonly connect: SocketFactory = (asked) => {
    const onConnect = (): void => {
      this.connected.add(socket);
      asked.onConnect();
    };
    const socket = this.make({ ...asked, host: hostOf(asked.host), onConnect });
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    return socket;
  };

  accept(): void {
    this.isRefusing = false;
  }

  /** KafkaJS hears of the end of a socket that it has not ended itself, or awaits, and clears the timers that it has for it. */
  destroy(): void {
    this.isRefusing = true;
    for (const socket of this.open) {
      const isExpected = socket.writableEnded && this.connected.has(socket);
      socket.destroy(isExpected ? undefined : new Error(disconnectedText));
    }
  }
}

const socketsOf = new WeakMap<SocketFactory, ClientSockets>();

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its connection below
const connectAsKafkaJsDoes = Connection.prototype.connect;

/**
 * KafkaJS takes whatever a socket factory throws for a broker that is away, and tries again and again: what was asked of a
 * client at once went on, one after the other, for minutes after its disconnect. This error ends them all.
 */
Connection.prototype.connect = function (this: Connection): Promise<unknown> {
  const isRefused = socketsOf.get(this.socketFactory)?.isRefusing === true;
  if (isRefused) return Promise.reject(new kafkajs.KafkaJSNonRetriableError(disconnectedText));
  return connectAsKafkaJsDoes.call(this);
};

/** What KafkaJS' admin client works with, and does not show: for requests that it does not have. */
export interface AdminCluster {
  /** Of `fetchTopicOffsets`: 0 asks for the log's end, 1 for the last stable offset. Undefined: 1. */
  isolationLevel?: 0 | 1 | undefined;
  /** By the number of the broker. The topic must have been asked about before. */
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Readonly<Record<string, readonly number[]>>;
  findBroker(broker: { readonly nodeId: string }): Promise<AdminBroker>;
  findControllerBroker(): Promise<AdminBroker>;
  findGroupCoordinator(group: { readonly groupId: string }): Promise<AdminBroker>;
}

export interface AdminBroker {
  /** By the number of the request. */
  readonly versions: Readonly<Record<number, { readonly maxVersion: number } | undefined>>;
  readonly connectionPool: { send(exchange: object): Promise<unknown> };
}

const clusters = new WeakMap<Admin, AdminCluster>();

/** Of an admin client that a `KafkaClient` has made. */
export function clusterOf(admin: Admin): AdminCluster {
  const cluster = clusters.get(admin);
  if (cluster === undefined) throw new Error('not a client of KafkaClient');
  return cluster;
}

type MakeCluster = (options: object) => AdminCluster;

/** The admin client with the cluster that it makes for itself: KafkaJS makes it in a method that only its symbol names. */
function adminWithCluster(kafka: kafkajs.Kafka, config?: AdminConfig): readonly [Admin, AdminCluster] {
  const name = Object.getOwnPropertySymbols(kafka).find(({ description }) => description?.endsWith(':createCluster'));
  const makers = kafka as unknown as Record<symbol, MakeCluster>;
  const make = name === undefined ? undefined : makers[name];
  if (name === undefined || make === undefined) throw new Error('KafkaJS makes its clusters otherwise');
  let cluster: AdminCluster | undefined;
  makers[name] = (options) => (cluster = make(options));
  const admin = kafka.admin(config);
  if (cluster === undefined) throw new Error('KafkaJS makes its clusters otherwise');
  return [admin, cluster];
}

interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/**
 * KafkaJS, but for faults of 2.2.4. The timers and IPv6 addresses above; and what connects while its client is told to disconnect (a
 * heartbeat, metadata, a retry): that connection stayed until the broker ended it. Here nothing of a consumer, producer or
 * admin client is open once its `disconnect` has resolved, and nothing connects until its `connect` is called again. Nor
 * does a socket stay that a broker which hangs never closes. A `connect` that has not come to its end is cut off: it rejects.
 */
export class KafkaClient extends kafkajs.Kafka {
  private readonly config: KafkaConfig;

  constructor(config: KafkaConfig) {
    const { brokers } = config;
    const named = { ...config, brokers: typeof brokers === 'function' ? brokers : brokers.map(withoutColons) };
    super(named);
    this.config = named;
  }

  override consumer(config: ConsumerConfig): Consumer {
    return this.withSockets((kafka) => kafka.consumer(config));
  }

  override producer(config?: ProducerConfig): Producer {
    return this.withSockets((kafka) => kafka.producer(config));
  }

  override admin(config?: AdminConfig): Admin {
    let cluster: AdminCluster | undefined;
    const admin = this.withSockets((kafka) => {
      const [made, own] = adminWithCluster(kafka, config);
      cluster = own;
      return made;
    });
    if (cluster !== undefined) clusters.set(admin, cluster);
    return admin;
  }

  private withSockets<Client extends Connectable>(make: (kafka: kafkajs.Kafka) => Client): Client {
    const sockets = new ClientSockets(this.config.socketFactory ?? plainSocket);
    const client = make(new kafkajs.Kafka({ ...this.config, socketFactory: sockets.connect }));
    let connecting = 0;
    return {
      ...client,
      connect: () => {
        sockets.accept();
        connecting += 1;
        return client.connect().finally(() => (connecting -= 1));
      },
      disconnect: () => {
        // Nothing was asked yet that should come to its end.
        if (connecting > 0) sockets.destroy();
        return client.disconnect().finally(() => sockets.destroy());
      },
    };
  }
}
