import type { GroupStore } from './consumer-group.js';
import type { TopicStore } from './topic-store.js';
import type { WireReader, WireWriter } from './wire.js';

/** What the broker is, for its handlers. */
export interface BrokerState {
  readonly topics: TopicStore;
  readonly groups: GroupStore;
  readonly host: string;
  /** What has been stored of another broker says nothing of this one. */
  readonly clusterId: string;
  /** One by default. All have the same records and groups; each leads its share of the partitions. */
  readonly nodes: readonly BrokerNode[];
}

interface BrokerNode {
  readonly id: number;
  readonly port: number;
}

interface ApiRequest {
  readonly version: number;
  readonly clientId: string;
  readonly body: WireReader;
}

/**
 * One request type: its key and the versions we know (protocol guide, "Protocol API Keys"), all of them older than the
 * flexible encoding. `undefined` is no answer at all, which a producer with acks=0 expects.
 */
export interface Api {
  readonly key: number;
  readonly versions: readonly [first: number, last: number];
  handle(request: ApiRequest, broker: BrokerState): WireWriter | undefined | Promise<WireWriter | undefined>;
}

/** The first node of this cluster: its controller, and the coordinator of all groups. */
export const nodeId = 1;
/** We never ask a client to slow down. */
export const noThrottleMs = 0;
