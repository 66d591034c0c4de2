import { loadOffsets, startOffset, type LastRecord, type SourcePartition, type StoredOffset } from '#intents';
import type { Database } from '#platform';
import type { Arrival } from '../loop/ingest-step.js';
import {
  partitionKey,
  type FetchedBatch,
  type FetchedRecord,
  type Source,
  type SourceFacts,
  type TopicPartition,
} from '#kafka';
import { decidePlacement, type Placement, type StartFrom } from './decide-placement.js';

/** There is nothing from the one offset up to the other. */
interface Hole {
  readonly from: number;
  readonly to: number;
}

/** Where one of our partitions stands. */
export interface Place {
  readonly source: SourcePartition;
  /** The offset that the next fetch must ask for. */
  fetchFrom: number;
  /** Everything below is durable. Beyond `fetchFrom` while the last record consumed is fetched once more. */
  nextOffset: number;
  /** Where the database has it: from there to `nextOffset` there was nothing to record. */
  storedOffset: number;
  /** The record that must come first: the last one consumed. */
  proof: LastRecord | null;
  /** A fetch was seen to begin later although nothing was lost: what lies between was filtered out. */
  readonly hole: Hole | null;
  /** Another record came where the last one consumed had been: the topic was created anew. */
  isForeign: boolean;
}

/** As the last record consumed is remembered by. */
export type Fingerprint = (record: FetchedRecord) => Uint8Array;

/**
 * Where the proof is gone, retention or compaction took it: nothing is proven, and nothing speaks against us. The same where
 * it lies in a batch that is not taken apart any more, because the limit was lowered.
 */
function isProven(place: Place, batch: FetchedBatch, fingerprint: Fingerprint): boolean {
  const { proof } = place;
  const first = batch.records[0];
  if (proof === null || batch.fetchedFrom !== place.fetchFrom || first?.offset !== proof.offset) return true;
  if (first.undecoded !== undefined) return true;
  return Buffer.compare(fingerprint(first), proof.fingerprint) === 0;
}

/** What is to be made of a batch that has just arrived, as far as its partition's place tells. */
export function arrivalAt(place: Place, batch: FetchedBatch, fingerprint: Fingerprint): Arrival {
  if (!isProven(place, batch, fingerprint)) {
    place.isForeign = true;
    return { kind: 'foreign' };
  }
  if (batch.fetchedFrom === place.fetchFrom) place.proof = null;
  const { hole } = place;
  const isOverHole = hole?.from === place.fetchFrom && batch.fetchedFrom > hole.from && batch.fetchedFrom <= hole.to;
  const fetchFrom = isOverHole ? batch.fetchedFrom : place.fetchFrom;
  const { storedOffset } = place;
  return { kind: 'placed', fetchFrom, position: Math.max(place.nextOffset, fetchFrom), storedOffset };
}

/**
 * Everything below `nextOffset` is durable: the next fetch begins there.
 * @param storedOffset where the database has it; null: nothing was recorded
 */
export function movePlace(place: Place, nextOffset: number, storedOffset: number | null): void {
  place.nextOffset = Math.max(place.nextOffset, nextOffset);
  place.storedOffset = Math.max(place.storedOffset, storedOffset ?? 0);
  place.fetchFrom = place.nextOffset;
  place.proof = null;
}

interface PlaceRequest {
  readonly partitions: readonly TopicPartition[];
  readonly startFrom: StartFrom;
  readonly misplaced: Misplaced;
}

/** A partition whose fetch did not begin where it stands, or that does not stand where we believed. */
export interface MisplacedPartition {
  readonly fetchFrom: number;
  /** Where the fetch began; null: it is not known. */
  readonly fetchedFrom: number | null;
  /** Set: the topic is not the one of that incarnation any more. */
  readonly foreignIncarnation: number | null;
}

/** By `partitionKey`. */
export type Misplaced = ReadonlyMap<string, MisplacedPartition>;

/** Where a partition goes on; `begin` has been stored, so that only two kinds are left. */
export type SettledPlacement = Exclude<Placement, { kind: 'begin' }>;

interface PlacedPartition extends TopicPartition {
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
  const { clusterId, missedAt } = await tools.source.facts({ topics: [], timeMs: null });
  const timeMs = beginningTime(request, missedAt);
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

/** By how much the clocks of producers may be behind ours. */
const producedMarginMs = 60_000;

/** Since when records are looked for that a topic may begin with, epoch ms; null: times decide nothing. */
function beginningTime({ startFrom, partitions }: PlaceRequest, missedAt: SourceFacts['missedAt']): number | null {
  if (startFrom.kind === 'time') return startFrom.timeMs;
  const times = partitions.flatMap(({ topic }) => missedAt?.get(topic) ?? []);
  return startFrom.kind === 'earliest' || times.length === 0 ? null : Math.min(...times) - producedMarginMs;
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
    wasMissed: facts.missedAt?.has(partition.topic) === true,
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
