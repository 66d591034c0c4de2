import type { StoredOffset } from '#intents';
import { loadOffsets, startOffset } from '#intents';
import type { Database } from '#platform';

import type { Source, SourceFacts, TopicPartition } from '../source/source.js';
import { partitionKey } from '../source/source.js';
import type { Placement, StartFrom } from './decide-placement.js';
import { decidePlacement } from './decide-placement.js';

export interface PlaceRequest {
  readonly partitions: readonly TopicPartition[];
  readonly startFrom: StartFrom;
  readonly misplaced: Misplaced;
}

/** Partitions whose fetches did not begin where they stand, by `partitionKey`. */
export type Misplaced = ReadonlyMap<
  string,
  {
    readonly fetchFrom: number;
    /** Set: the topic is not the one of that incarnation any more. */
    readonly foreignIncarnation: number | null;
  }
>;

/** Where a partition goes on; `begin` has been stored, so that only two kinds are left. */
export type SettledPlacement = Exclude<Placement, { kind: 'begin' }>;

export interface PlacedPartition extends TopicPartition {
  readonly clusterId: string;
  readonly placement: SettledPlacement;
}

interface Knowledge {
  readonly known: ReadonlyMap<string, StoredOffset>;
  readonly facts: SourceFacts;
  readonly request: PlaceRequest;
}

/**
 * Finds where partitions go on, and stores where those begin that were never consumed (once: the first word counts).
 * Partitions that the broker does not know (yet) are left out.
 */
export async function placePartitions(
  tools: { readonly source: Source; readonly database: Database },
  request: PlaceRequest,
): Promise<PlacedPartition[]> {
  const topics = [...new Set(request.partitions.map(({ topic }) => topic))];
  const timeMs = request.startFrom.kind === 'time' ? request.startFrom.timeMs : null;
  const { clusterId } = await tools.source.facts({ topics: [], timeMs: null });
  const load = async (): Promise<Map<string, StoredOffset>> => {
    const rows = await loadOffsets(tools.database, { clusterId, topics });
    return new Map(rows.map((row) => [partitionKey(row), row]));
  };
  const known = await load();
  const facts = await tools.source.facts({ topics, timeMs });
  const begun = await storeBeginnings(tools.database, { known, facts, request });
  const afterwards = begun ? await load() : known;
  return request.partitions.flatMap((partition) => {
    const placement = settled(partition, { known, facts, request }, afterwards.get(partitionKey(partition)));
    return placement === null ? [] : [{ ...partition, clusterId, placement }];
  });
}

function placementOf(partition: TopicPartition, { known, facts, request }: Knowledge): Placement | null {
  const watermarks = facts.watermarks.get(partition.topic)?.find((item) => item.partition === partition.partition);
  if (watermarks === undefined) return null;
  return decidePlacement({
    stored: known.get(partitionKey(partition)),
    watermarks,
    startFrom: request.startFrom,
    offsetAt: facts.offsetsAt.get(partitionKey(partition)),
    hasSiblings: isKnownTopic(partition.topic, known),
    foreignIncarnation: request.misplaced.get(partitionKey(partition))?.foreignIncarnation ?? null,
  });
}

function settled(
  partition: TopicPartition,
  knowledge: Knowledge,
  stored: StoredOffset | undefined,
): SettledPlacement | null {
  const placement = placementOf(partition, knowledge);
  if (placement?.kind !== 'begin') return placement;
  return stored === undefined
    ? null
    : { kind: 'resume', incarnation: stored.incarnation, offset: stored.nextOffset, proof: null };
}

function isKnownTopic(topic: string, known: ReadonlyMap<string, StoredOffset>): boolean {
  return [...known.values()].some((row) => row.topic === topic);
}

/** On first sight of a topic all its partitions are stored, so that one added later is told from one never met. */
function toStore(topic: string, { known, facts, request }: Knowledge): TopicPartition[] {
  if (isKnownTopic(topic, known)) return request.partitions.filter((partition) => partition.topic === topic);
  return (facts.watermarks.get(topic) ?? []).map(({ partition }) => ({ topic, partition }));
}

async function storeBeginnings(database: Database, knowledge: Knowledge): Promise<boolean> {
  const { facts } = knowledge;
  let hasStored = false;
  for (const partition of [...facts.watermarks.keys()].flatMap((topic) => toStore(topic, knowledge))) {
    const placement = placementOf(partition, knowledge);
    if (placement?.kind !== 'begin') continue;
    const { incarnation, offset } = placement;
    await startOffset(database, { clusterId: facts.clusterId, ...partition, incarnation }, offset);
    hasStored = true;
  }
  return hasStored;
}
