import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { BrokerState } from './broker/api.js';
import { serveConnection } from './broker/connection.js';
import { GroupStore } from './broker/group-store.js';
import { TopicStore } from './broker/topic-store.js';

export interface EmbeddedBrokerOptions {
  /** Topics that exist from the start, with 4 partitions; others appear when they are first asked for. */
  readonly topics?: readonly string[];
}

export interface EmbeddedBroker {
  /** `127.0.0.1:PORT`, for `KAFKA_BROKERS`; no TLS, no authentication. */
  readonly brokers: string;
  /** Disconnects all clients and forgets all records. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Starts a broker that speaks the Kafka protocol on a free loopback port, for `loyaltyd dev` and the demo only: a
 * single node in this process that keeps everything in memory. It knows produce and fetch (also compressed and
 * idempotent), topics, consumer groups with the classic rebalance, and offsets; not transactions, access control or
 * compaction. A partition keeps its last 64 MiB. It does not keep this process alive.
 */
export const startEmbeddedBroker = async ({ topics = [] }: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> => {
  const sockets = new Set<Socket>();
  const state = { topics: new TopicStore(), groups: new GroupStore(), host };
  const server = createServer({ noDelay: true });
  const port = await listen(server);
  const broker: BrokerState = { ...state, port };
  for (const topic of topics) state.topics.provide(topic);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.unref();
    void serveConnection(socket, broker);
  });
  server.unref();
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    state.groups.close();
    await closed;
  };
  return { brokers: `${host}:${port}`, stop };
};
