import kafkajs from 'kafkajs';
import type { PartitionAssigner } from 'kafkajs';

/**
 * How a group shares its partitions: evenly, as by default, under a name that only consumers into one database know. A
 * broker lets nobody into a group who has no way of sharing in common with its members. Consumers into two databases
 * (of two cells, for instance) would each get some of the partitions, and pass over what lies in the others.
 */
export function groupAssigner(installation: string): PartitionAssigner {
  return (config) => {
    const even = kafkajs.PartitionAssigners.roundRobin(config);
    return { ...even, name: `${even.name}${ownerText(installation)}` };
  };
}

function ownerText(installation: string): string {
  return ` of ${installation}`;
}

/** Whether a group shares its partitions as consumers into this database do. */
export function isOwnProtocol(protocol: string, installation: string): boolean {
  return protocol.endsWith(ownerText(installation));
}

/** The broker let us not into the group: its members consume into another database. */
export function isForeignGroup(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    if (at instanceof kafkajs.KafkaJSProtocolError && at.type === 'INCONSISTENT_GROUP_PROTOCOL') return true;
    seen.add(at);
  }
  return false;
}
