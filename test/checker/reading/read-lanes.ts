import type { Client } from 'pg';

import type { EventRow, LaneHistory, LaneRow } from '../history/lane-history.js';
import type { Effect } from '../history/partner-history.js';
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

/** The truth of lanes, page by page; only of those that `isWanted` takes, and without the partner's side. */
export async function* readLanes(
  client: Client,
  seals: MemberSeals,
  isWanted: (lane: LaneRow) => boolean = () => true,
): AsyncGenerator<Omit<LaneHistory, 'effects'> & { readonly effects: Effect[] }> {
  for (let after = 0; ;) {
    const { rows } = await client.query<StoredLane>(lanesSql, [after, lanesPageMax]);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.laneId;
    const wanted = rows.filter(isWanted);
    if (wanted.length > 0) yield* openLanes(client, seals, wanted);
  }
}

async function* openLanes(
  client: Client,
  seals: MemberSeals,
  lanes: readonly StoredLane[],
): AsyncGenerator<Omit<LaneHistory, 'effects'> & { readonly effects: Effect[] }> {
  const laneIds = lanes.map(({ laneId }) => laneId);
  const intents = await client.query<StoredIntent>(intentsSql, [laneIds]);
  const events = await client.query<StoredEvent>(eventsSql, [laneIds]);
  const intentsOf = Map.groupBy(intents.rows, (row) => row.lane_id);
  const eventsOf = Map.groupBy(events.rows, (row) => row.lane_id);
  for (const { wrapped_key: wrapped, ...lane } of lanes) {
    const key = seals.keyOf(lane.laneId, wrapped);
    const own = intentsOf.get(lane.laneId) ?? [];
    yield {
      lane,
      intents: own.map((row) => intentRow(row, seals.payload(row, key, row.payload))),
      events: (eventsOf.get(lane.laneId) ?? []).map((row) => openEvent(seals, key, row)),
      effects: [],
    };
  }
}

function openEvent(seals: MemberSeals, key: Uint8Array | null, row: StoredEvent): EventRow {
  const event = eventRow(row);
  if (row.type === 'IntentCorrected') return { ...event, asks: seals.correction(row, key, row.sealed) };
  return answers.includes(row.type) ? { ...event, requestId: seals.requestId(row, key, row.sealed) } : event;
}
