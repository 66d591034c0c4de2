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
  readonly key: Buffer;
  readonly mac: Buffer;
}

type Naming = Pick<RecordingContext, 'sourceOf'> & { readonly keys: Pick<IngestKeys, 'mac'> };

function placesOf(records: readonly PreparedRecord[], { sourceOf, keys }: Naming): MappedPlace[] {
  const mapped = records.filter(({ event }) => event !== undefined);
  if (mapped.length === 0) return [];
  return [...Map.groupBy(mapped, ({ original }) => original)].map(([original, events]) => {
    const { topic, partition } = sourceOf(original);
    const texts = events.map(({ event }) => event?.text);
    return {
      original,
      key: digest(JSON.stringify(['place', topic, partition, original.offset, original.brokerAt])),
      mac: keyedDigest(keys.mac, JSON.stringify(texts)),
    };
  });
}

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

function identitiesOf(
  fresh: ReadonlyMap<OriginalRecord, MappedPlace>,
  placed: readonly PlacedIntent[],
): IdentityToInsert[] {
  const firsts = new Map<OriginalRecord, PlacedIntent>();
  for (const intent of placed) {
    const { original } = intent.record;
    if (!firsts.has(original)) firsts.set(original, intent);
  }
  return [...firsts].flatMap(([original, { laneId, seq }]): IdentityToInsert[] => {
    const place = fresh.get(original);
    return place === undefined ? [] : [{ key: place.key, kind: 'place', contentMac: place.mac, laneId, seq }];
  });
}
