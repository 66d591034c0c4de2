import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { nodeId, type Api, type BrokerState } from './api.js';
import { GroupStore } from './consumer-group.js';
import {
  deleteGroups,
  describeGroups,
  findCoordinator,
  heartbeat,
  joinGroup,
  leaveGroup,
  FailureGroupRepository,
  offsetCommit,
  offsetFetch,
  syncGroup,
} from './group-apis.js';
import { fetch, initProducerId, listOffsets, produce } from './record-apis.js';
import { createTopics, deleteTopics, describeConfigs, metadata } from './topic-apis.js';
import { TopicStore } from './topic-store.js';
import { errorCode, FrameSplitter, WireReader, WireWriter } from './wire.js';

const throttleSince = 1;

/** What a client asks first: which requests, in which versions, may it send. */
const apiVersions: Api = {
  key: 18,
  versions: [0, 2],
  handle: ({ version }) => {
    const isKnown = version <= apiVersions.versions[1];
    const answer = new WireWriter().int16(isKnown ? errorCode.none : errorCode.unsupportedVersion);
    answer.array([...apis.values()], ({ key, versions: [first, last] }) => answer.int16(key).int16(first).int16(last));
    // To a version it does not know a broker answers in the oldest one, and the client asks again.
    return isKnown && version >= throttleSince ? answer.int32(0) : answer;
  },
};

const all: readonly Api[] = [
  ...[produce, fetch, listOffsets, metadata, apiVersions, initProducerId],
  ...[createTopics, deleteTopics, describeConfigs],
  ...[findCoordinator, joinGroup, heartbeat, leaveGroup, syncGroup, offsetCommit, offsetFetch],
  ...[describeGroups, FailureGroupRepository, deleteGroups],
];

/** Every request this broker answers, by its key. */
const apis: ReadonlyMap<number, Api> = new Map(all.map((api) => [api.key, api]));

const apiVersionsKey = apiVersions.key;

const correlationIdBytes = 4;

const answerTo = async (frame: Buffer, broker: BrokerState): Promise<Buffer | undefined> => {
  const body = new WireReader(frame);
  const [key, version, correlationId] = [body.int16(), body.int16(), body.int32()];
  const clientId = body.nullableString() ?? '';
  const api = apis.get(key);
  const isKnown = api !== undefined && version >= api.versions[0] && version <= api.versions[1];
  // A Kafka broker, too, ends the connection when it is asked what it did not offer.
  if (api === undefined || (!isKnown && key !== apiVersionsKey)) throw new Error(`request ${key} v${version}`);
  const answer = await api.handle({ version, clientId, body }, broker);
  if (answer === undefined) return undefined;
  const bytes = answer.toBuffer();
  const header = new WireWriter().int32(bytes.length + correlationIdBytes).int32(correlationId);
  return header.raw(bytes).toBuffer();
};

const answerAll = async (requests: readonly Buffer[], socket: Socket, broker: BrokerState): Promise<void> => {
  for (const request of requests) {
    const answer = await answerTo(request, broker);
    if (answer !== undefined) socket.write(answer);
  }
};

/** Answers one client's requests, one after the other, as the protocol demands, until either side ends it. */
const serveConnection = async (socket: Socket, broker: BrokerState): Promise<void> => {
  const splitter = new FrameSplitter();
  socket.on('error', () => undefined);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      await answerAll(splitter.push(chunk), socket, broker);
    }
    socket.end();
  } catch {
    // A client that speaks something else, or is gone.
    socket.destroy();
  }
};

export interface EmbeddedBrokerOptions {
  /** Topics that exist from the start, with 4 partitions; others appear when they are first asked for. */
  readonly topics?: readonly string[];
  /** How many nodes lead the partitions; one by default. */
  readonly nodes?: number;
  /** Where the first node listens; any free port by default. */
  readonly port?: number;
}

export interface EmbeddedBroker {
  /** `127.0.0.1:PORT`, one for each node, for `KAFKA_BROKERS`; no TLS, no authentication. */
  readonly brokers: string;
  /** Disconnects all clients and forgets all records. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';

const close = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Starts a broker that speaks the Kafka protocol on a loopback port, for `loyaltyd dev`, the demo and tests only, in
 * this process, and keeps everything in memory. It knows produce and fetch (also compressed and
 * idempotent), topics, consumer groups with the classic rebalance, and offsets; not transactions, access control or
 * compaction. A partition keeps its last 64 MiB. It does not keep this process alive.
 */
export const startEmbeddedBroker = async (options: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> => {
  const { topics = [], nodes: nodeCount = 1, port: firstPort = 0 } = options;
  const sockets = new Set<Socket>();
  const state = { topics: new TopicStore(), groups: new GroupStore(), host, clusterId: randomUUID() };
  const servers = Array.from({ length: nodeCount }, () => createServer({ noDelay: true }));
  const ports = await Promise.all(servers.map((server, index) => listen(server, index === 0 ? firstPort : 0)));
  const broker: BrokerState = { ...state, nodes: ports.map((port, index) => ({ id: nodeId + index, port })) };
  for (const topic of topics) state.topics.provide(topic);
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.unref();
    void serveConnection(socket, broker);
  };
  for (const server of servers) server.on('connection', serve).unref();
  const stop = async (): Promise<void> => {
    const closed = Promise.all(servers.map(close));
    for (const socket of sockets) socket.destroy();
    state.groups.close();
    await closed;
  };
  return { brokers: ports.map((port) => `${host}:${port}`).join(','), stop };
};
