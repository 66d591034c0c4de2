import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import kafkajs from 'kafkajs';
import type { Admin, AdminConfig, Consumer, ConsumerConfig, KafkaConfig, Producer, ProducerConfig } from 'kafkajs';
import Connection from 'kafkajs/src/network/connection.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

import './fetch/quiet-fetches.js';

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
    const socket = this.make({ ...asked, onConnect });
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

interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/**
 * KafkaJS, but for faults of 2.2.4. The timers above; and what connects while its client is told to disconnect (a
 * heartbeat, metadata, a retry): that connection stayed until the broker ended it. Here nothing of a consumer, producer or
 * admin client is open once its `disconnect` has resolved, and nothing connects until its `connect` is called again. Nor
 * does a socket stay that a broker which hangs never closes. A `connect` that has not come to its end is cut off: it rejects.
 */
export class KafkaClient extends kafkajs.Kafka {
  constructor(private readonly config: KafkaConfig) {
    super(config);
  }

  override consumer(config: ConsumerConfig): Consumer {
    return this.withSockets((kafka) => kafka.consumer(config));
  }

  override producer(config?: ProducerConfig): Producer {
    return this.withSockets((kafka) => kafka.producer(config));
  }

  override admin(config?: AdminConfig): Admin {
    return this.withSockets((kafka) => kafka.admin(config));
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
