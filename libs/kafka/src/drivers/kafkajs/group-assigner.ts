import kafkajs from 'kafkajs';
import type { GroupMember, MemberMetadata, PartitionAssigner } from 'kafkajs';

import type { ConsumerSettings, InspectedGroup } from '../../driver.js';
import type { ShardClaim, ShardMember } from '../../share-shards.js';
import { shareShards } from '../../share-shards.js';

/** What decides how a group shares its partitions. */
export type GroupTerms = Pick<ConsumerSettings, 'installation' | 'shard'>;

function ownerText(installation: string): string {
  return ` of ${installation}`;
}

function shardsText(shop: string): string {
  return `Shards of ${shop}`;
}

/** Whether a group shares its partitions as consumers into this database do. */
export function isOwnProtocol(
  protocol: string,
  { installation, shop }: { readonly installation: string; readonly shop: string | null },
): boolean {
  return shop === null ? protocol.endsWith(ownerText(installation)) : protocol === shardsText(shop);
}

/** What the members of a shop's group say; null: it is none. */
export function shardsOf(protocol: string, members: readonly GroupMember[]): InspectedGroup['shards'] | null {
  if (!protocol.startsWith(shardsText(''))) return null;
  const shop = protocol.slice(shardsText('').length);
  return {
    members: members.map((member) => shardMemberOf(member, shop)),
    topics: [...new Set(members.flatMap(({ memberMetadata }) => subscriptionIn(memberMetadata)?.topics ?? []))],
  };
}

function subscriptionIn(metadata: Buffer): MemberMetadata | null {
  try {
    return kafkajs.AssignerProtocol.MemberMetadata.decode(metadata);
  } catch {
    return null;
  }
}

/**
 * How a group shares its partitions: evenly, as by default, under a name that only consumers into one database know. A
 * broker lets nobody into a group who has no way of sharing in common with its members. Consumers into two databases
 * would each get some of the partitions, and pass over what lies in the others. Only shards of one shop share a group, by what each owns.
 */
export function groupAssigner({ installation, shard }: GroupTerms): PartitionAssigner {
  if (shard !== undefined) return shardAssigner(shard);
  return (config) => {
    const even = kafkajs.PartitionAssigners.roundRobin(config);
    return { ...even, name: `${even.name}${ownerText(installation)}` };
  };
}

const version = 0;

function shardAssigner({ claim, onShared }: NonNullable<GroupTerms['shard']>): PartitionAssigner {
  const name = shardsText(claim.shop);
  return ({ cluster }) => ({
    name,
    version,
    assign: ({ members, topics }) => {
      const partitionsOf = (topic: string): readonly number[] =>
        cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => partitionId)
          .toSorted((one, other) => one - other);
      const shared = shareShards(
        members.map((member) => shardMemberOf(member, claim.shop)),
        new Map(topics.toSorted().map((topic) => [topic, partitionsOf(topic)])),
      );
      onShared(shared.unread);
      return Promise.resolve(
        [...shared.assigned].map(([memberId, own]) => {
          const assignment = Object.fromEntries(Object.entries(own).map(([topic, numbers]) => [topic, [...numbers]]));
          const encoded = { version, assignment, userData: Buffer.alloc(0) };
          return { memberId, memberAssignment: kafkajs.AssignerProtocol.MemberAssignment.encode(encoded) };
        }),
      );
    },
    protocol: ({ topics }) => {
      const userData = Buffer.from(JSON.stringify(claim));
      return { name, metadata: kafkajs.AssignerProtocol.MemberMetadata.encode({ version, topics, userData }) };
    },
  });
}

/** What a member says of its database; whatever it is, it must not break the group. */
function shardMemberOf({ memberId, memberMetadata }: GroupMember, shop: string): ShardMember {
  return { memberId, claim: claimIn(memberMetadata, shop) };
}

function claimIn(metadata: Buffer, shop: string): ShardClaim | null {
  try {
    const { userData } = subscriptionIn(metadata) ?? {};
    const claim = JSON.parse(String(userData)) as Partial<ShardClaim>;
    const isWhole =
      claim.shop === shop &&
      typeof claim.place === 'string' &&
      Array.isArray(claim.partitions) &&
      Number.isInteger(claim.epoch);
    return isWhole ? (claim as ShardClaim) : null;
  } catch {
    return null;
  }
}
