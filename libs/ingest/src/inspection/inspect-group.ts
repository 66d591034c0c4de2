import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { isOwnProtocol } from '../source/kafka/group-assigner.js';
import { installationName } from '../source/kafka/installation-name.js';
import { look } from './inspection-client.js';

/** The consumer group as its coordinator describes it. */
export interface InspectedGroup {
  /** `Stable`, `Empty`, `Dead`, `PreparingRebalance`, `CompletingRebalance`, ... */
  readonly state: string;
  readonly members: number;
  /** Whether its members consume into the database with this key; null where it has none. */
  readonly isOwn: (mac: Uint8Array) => boolean | null;
}

/** @throws KafkaJS' errors: see `kafkaTrouble` */
export async function inspectGroup(
  connection: KafkaConnection,
  groupId: string,
  logger: Logger,
): Promise<InspectedGroup> {
  const { groups } = await look(connection, logger, async (admin) => {
    // KafkaJS finds the coordinator only among the brokers that it has heard of.
    await admin.describeCluster();
    return admin.describeGroups([groupId]);
  });
  const [group] = groups;
  if (group === undefined) return { state: 'Dead', members: 0, isOwn: () => null };
  const { state, members, protocol } = group;
  return {
    state,
    members: members.length,
    isOwn: (mac) => (protocol === '' ? null : isOwnProtocol(protocol, installationName(mac))),
  };
}
