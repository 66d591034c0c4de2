import type { Client } from 'pg';

import type { EventRow, LaneHistory, LaneRow } from '../history/lane-history.js';
import type { Effect } from '../history/partner-history.js';
import type { ArchivedLane } from './archived-rows.js';
import { nothingLeft, withArchived } from './archived-rows.js';
import type { StoredEvent, StoredIntent, StoredLane } from './lane-rows.js';
import { eventRow, eventsSql, intentRow, intentsSql, lanesSql } from './lane-rows.js';
import type { MemberSeals } from './member-seals.js';

/** Lanes read at once. */
const lanesPageMax = 200;

const answers: readonly string[] = [
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
];

export interface LanesToRead {
  readonly isWanted: (lane: LaneRow) => boolean;
  /** What has left the tables; null: nobody knows. */
  readonly archived: ReadonlyMap<number, ArchivedLane> | null;
}

/**
 * The truth of lanes, page by page; only of those that are wanted, and without the partner's side.
 * @throws where something of a lane has left the tables and nobody knows what
 */
export async function* readLanes(
  client: Client,
  seals: MemberSeals,
  { isWanted, archived }: LanesToRead,
): AsyncGenerator<Omit<LaneHistory, 'effects'> & { readonly effects: Effect[] }> {
  for (let after = 0; ;) {
    const { rows } = await client.query<StoredLane>(lanesSql, [after, lanesPageMax]);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.laneId;
    const wanted = rows.filter(isWanted);
    if (wanted.length > 0) yield* openLanes(client, seals, { lanes: wanted, archived });
  }
}

async function* openLanes(
  client: Client,
  seals: MemberSeals,
  { lanes, archived }: Pick<LanesToRead, 'archived'> & { readonly lanes: readonly StoredLane[] },
): AsyncGenerator<Omit<LaneHistory, 'effects'> & { readonly effects: Effect[] }> {
  const laneIds = lanes.map(({ laneId }) => laneId);
  const intents = await client.query<StoredIntent>(intentsSql, [laneIds]);
  const events = await client.query<StoredEvent>(eventsSql, [laneIds]);
  const intentsOf = Map.groupBy(intents.rows, (row) => row.lane_id);
  const eventsOf = Map.groupBy(events.rows, (row) => row.lane_id);
  for (const { wrapped_key: wrapped, has_left: hasLeft, ...lane } of lanes) {
    const key = seals.keyOf(lane.laneId, wrapped);
    if (hasLeft && archived === null) throw new Error(`lane ${lane.laneId}: intents lie in files of an archive`);
    const there = { intents: intentsOf.get(lane.laneId) ?? [], events: eventsOf.get(lane.laneId) ?? [] };
    const all = withArchived(there, archived?.get(lane.laneId) ?? nothingLeft);
    yield {
      lane,
      intents: all.intents.map((row) => intentRow(row, seals.payload(row, key, row.payload))),
      events: all.events.map((row) => openEvent(seals, key, row)),
      effects: [],
    };
  }
}

function openEvent(seals: MemberSeals, key: Uint8Array | null, row: StoredEvent): EventRow {
  const event = eventRow(row);
  if (row.type === 'IntentCorrected') return { ...event, asks: seals.correction(row, key, row.sealed) };
  return answers.includes(row.type) ? { ...event, requestId: seals.requestId(row, key, row.sealed) } : event;
}
