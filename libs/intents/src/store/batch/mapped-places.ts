import type { IdentityPlace } from '#intents/core';
import type { SqlSession } from '#platform';
import { digest, keyedDigest } from '#platform';

import type { IdentityToInsert } from './identities.js';
import { findIdentities } from './identities.js';
import type { PlacedIntent } from './place-intents.js';
import type { IngestKeys, OriginalRecord, PreparedRecord, RecordingContext } from './recording.js';
import { PartRefusedError } from './recording.js';

/**
 * A record of which a map makes events makes them once: what its place has led to is remembered with a keyed digest of the
 * events, so that whatever another map makes of it later is for a person. The broker's time tells a place apart from the same
 * one of a topic that was created anew.
 */
interface MappedPlace {
  readonly original: OriginalRecord;
  readonly record: RecordAt;
  readonly key: Buffer;
  readonly mac: Buffer;
}

/** Where a record lies, and the broker's time of it, epoch ms. */
export interface RecordAt extends Pick<OriginalRecord, 'offset' | 'brokerAt'> {
  readonly topic: string;
  readonly partition: number;
}

/** Lanes that are remembered of one record; it holds 50 events at most. */
const lanesOfRecordMax = 50;

/** The key in `dedup` of a record: of the first intent that came of it, and of the first one in each other lane. */
function placeKey({ topic, partition, offset, brokerAt }: RecordAt, lane = 1): Buffer {
  const at = ['place', topic, partition, offset, brokerAt];
  return digest(JSON.stringify(lane === 1 ? at : [...at, lane]));
}

/** Under these keys stands what came of a record of which a map made events: one intent of each lane. */
export const placeKeys = (record: RecordAt): Buffer[] =>
  Array.from({ length: lanesOfRecordMax }, (_, index) => placeKey(record, index + 1));

type Naming = Pick<RecordingContext, 'sourceOf'> & { readonly keys: Pick<IngestKeys, 'mac'> };

function placesOf(records: readonly PreparedRecord[], { sourceOf, keys }: Naming): MappedPlace[] {
  const mapped = records.filter(({ event }) => event !== undefined);
  if (mapped.length === 0) return [];
  return [...Map.groupBy(mapped, ({ original }) => original)].map(([original, events]) => {
    const record = placeOf(original, sourceOf(original));
    return { ...{ original, record }, key: placeKey(record), mac: eventsMac(events, keys.mac) };
  });
}

const placeOf = (
  { offset, brokerAt }: OriginalRecord,
  { topic, partition }: ReturnType<Naming['sourceOf']>,
): MappedPlace['record'] => ({ topic, partition, offset, brokerAt });

const eventsMac = (events: readonly PreparedRecord[], key: Uint8Array): Buffer =>
  keyedDigest(key, JSON.stringify(events.map(({ event }) => event?.text)));

/** The places of some records that nothing has come of yet. */
export interface FreshPlaces {
  /** What those leave behind that intents came of. */
  readonly identitiesOf: (placed: readonly PlacedIntent[]) => IdentityToInsert[];
}

const none: FreshPlaces = { identitiesOf: () => [] };

const differs = {
  kind: 'quarantine',
  reason: 'place-differs',
  detail: 'map: makes other events of this record than those that were taken in',
} as const;

/**
 * Nothing is asked for records that no map reads.
 * @throws {PartRefusedError} where other events came of a record than before
 */
export async function findFreshPlaces(
  session: SqlSession,
  records: readonly PreparedRecord[],
  naming: Naming,
): Promise<FreshPlaces> {
  const places = placesOf(records, naming);
  if (places.length === 0) return none;
  const { known } = await findIdentities(
    session,
    places.map(({ key }) => key),
  );
  const fresh = new Map<OriginalRecord, MappedPlace>();
  for (const place of places) {
    const before = known.get(place.key.toString('hex'));
    if (before === undefined) fresh.set(place.original, place);
    // Of whom an erasure has forgotten what was said, nothing can be compared.
    else if (before.contentMac !== null && before.contentMac !== place.mac.toString('hex')) {
      throw new PartRefusedError(place.original.offset, differs);
    }
  }
  return { identitiesOf: (placed) => identitiesOf(fresh, placed) };
}

/** A place that has led to intents; `first`: of those, null where it is not known any more. */
export interface KnownPlace {
  readonly isSame: boolean;
  /** The events that are made of its record now, JSON texts; personal. */
  readonly made: readonly string[];
  readonly first: IdentityPlace | null;
}

/**
 * The places of some records that have led to intents, whatever is made of the records now: other events, or none. Of whom an
 * erasure has forgotten what was said, nothing can be compared: it is taken for the same.
 */
export async function findKnownPlaces(
  session: SqlSession,
  records: readonly PreparedRecord[],
  { sourceOf, keys }: Naming,
): Promise<ReadonlyMap<OriginalRecord, KnownPlace>> {
  const wanted = [...Map.groupBy(records, ({ original }) => original)].map(([original, events]) => ({
    ...{ original, events, key: placeKey(placeOf(original, sourceOf(original))) },
  }));
  const { known } = await findIdentities(
    session,
    wanted.map(({ key }) => key),
  );
  const found = wanted.flatMap(({ original, events, key }) => {
    const before = known.get(key.toString('hex'));
    if (before === undefined) return [];
    const { contentMac, place: first } = before;
    const made = events.flatMap(({ event }) => event?.text ?? []);
    const isSame =
      contentMac === null || (made.length > 0 && contentMac === eventsMac(events, keys.mac).toString('hex'));
    return [[original, { isSame, made, first }] as const];
  });
  return new Map(found);
}

function identitiesOf(
  fresh: ReadonlyMap<OriginalRecord, MappedPlace>,
  placed: readonly PlacedIntent[],
): IdentityToInsert[] {
  const mapped = placed.filter(({ record: { original } }) => fresh.has(original));
  const byRecord = Map.groupBy(mapped, ({ record: { original } }) => original);
  return [...byRecord].flatMap(([original, intents]): IdentityToInsert[] => {
    const place = fresh.get(original);
    if (place === undefined) return [];
    const firsts = [...Map.groupBy(intents, ({ laneId }) => laneId).values()].flatMap(([first]) => first ?? []);
    return firsts.slice(0, lanesOfRecordMax).map(({ laneId, seq }, index) => ({
      ...{ key: placeKey(place.record, index + 1), kind: 'place', contentMac: place.mac, laneId, seq },
    }));
  });
}
