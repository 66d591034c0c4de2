/** What a database says of itself to the group: which partitions it owns, of every topic. */
export interface ShardClaim {
  /** The installations that share the topics; the same for all. */
  readonly shop: string;
  /** Tells databases apart. */
  readonly place: string;
  readonly epoch: number;
  readonly partitions: readonly number[];
  /** How many partitions each topic has. */
  readonly count: number;
}

/** A member of the group; null: what it says of its database cannot be read. */
export interface ShardMember {
  readonly memberId: string;
  readonly claim: ShardClaim | null;
}

/** Why nobody reads a partition. `uneven`: its topic has another number of partitions than was said, so that members lie elsewhere. */
export const unreadReasons = ['unowned', 'contested', 'uneven'] as const;
type UnreadReason = (typeof unreadReasons)[number];

export interface UnreadPartition {
  readonly topic: string;
  readonly partition: number;
  readonly reason: UnreadReason;
}

export interface SharedShards {
  /** By member, and by topic. */
  readonly assigned: ReadonlyMap<string, Readonly<Record<string, readonly number[]>>>;
  readonly unread: readonly UnreadPartition[];
}

/** By the database's place: its members, in one order; those of an epoch that has passed own nothing any more. */
function ownersOf(
  members: readonly ShardMember[],
): ReadonlyMap<string, readonly (ShardMember & { claim: ShardClaim })[]> {
  const claiming = members.flatMap(({ memberId, claim }) => (claim === null ? [] : [{ memberId, claim }]));
  const byPlace = Map.groupBy(claiming, ({ claim }) => claim.place);
  return new Map(
    [...byPlace].map(([place, own]) => {
      const epoch = Math.max(...own.map(({ claim }) => claim.epoch));
      const current = own.filter(({ claim }) => claim.epoch === epoch);
      return [place, current.toSorted((one, other) => (one.memberId < other.memberId ? -1 : 1))];
    }),
  );
}

/**
 * Gives each partition to a member whose database owns it, and to nobody what no database owns, or two (decision 0257). Members of one
 * database have its partitions by turns.
 * @param topics their partitions, by name
 */
export function shareShards(
  members: readonly ShardMember[],
  topics: ReadonlyMap<string, readonly number[]>,
): SharedShards {
  const owners = ownersOf(members);
  const assigned = new Map<string, Record<string, number[]>>(members.map(({ memberId }) => [memberId, {}]));
  const unread: UnreadPartition[] = [];
  const counts = new Set([...owners.values()].flat().map(({ claim }) => claim.count));
  const turns = new Map<string, number>();
  const give = (topic: string, partition: number): UnreadReason | null => {
    const own = [...owners].filter(([, [first]]) => first?.claim.partitions.includes(partition) === true);
    const [[place, heirs] = ['', []]] = own;
    if (own.length !== 1) return own.length === 0 ? 'unowned' : 'contested';
    const turn = turns.get(place) ?? 0;
    turns.set(place, turn + 1);
    const memberId = heirs[turn % heirs.length]?.memberId ?? '';
    const whole = assigned.get(memberId);
    if (whole !== undefined) whole[topic] = [...(whole[topic] ?? []), partition];
    return null;
  };
  for (const [topic, partitions] of topics) {
    const isEven = [...counts].every((count) => count === partitions.length);
    for (const partition of partitions) {
      const reason = isEven ? give(topic, partition) : 'uneven';
      if (reason !== null) unread.push({ topic, partition, reason });
    }
  }
  return { assigned, unread };
}
