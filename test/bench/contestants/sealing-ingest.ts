import type { KafkaMessage } from 'kafkajs';
import pg from 'pg';

import type { MemberKeys } from '#intents';
import { sealPayload, sourceEventText } from '#intents';
import { digest } from '#platform';

import { eventHeaders, transactionCommand } from '../backlog/purchase-event.js';
import { memberKeysOf, programName } from '../bench-parts.js';
import type { Purchase, Write } from './bare-ingest.js';
import { consumeAll, partitionsConcurrent, plainColumns } from './bare-ingest.js';
import type { Contestant } from './contestant.js';

interface SealedPurchase extends Purchase {
  readonly id: string;
  readonly source: string;
  readonly subject: string;
}

interface KnownMember {
  readonly laneId: number;
  readonly key: Uint8Array;
}

const extendLanes = `
INSERT INTO lane AS l (lane_id, program_id, tail_seq, version, due_at)
SELECT lane_id, $3, added, added, clock_timestamp() FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, added)
ORDER BY lane_id
ON CONFLICT (lane_id) DO UPDATE SET tail_seq = l.tail_seq + EXCLUDED.tail_seq, version = l.version + EXCLUDED.version,
  due_at = COALESCE(l.due_at, EXCLUDED.due_at)
RETURNING lane_id::int AS "laneId", tail_seq AS tail`;

const insertIdentities = `
INSERT INTO dedup (key, kind, body_mac, lane_id, seq, seen_on)
SELECT w.*, current_date FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::bigint[], $5::int[]) AS w
ORDER BY 1`;

const insertSealed = `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount, currency,
  event_type, source, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
SELECT lane_id, seq, seq, 'transaction', dedup_key, payload, store_id, purchase_id, amount * 0.01, 'EUR',
  'loyalty.purchase.completed.v1', source, occurred_at, broker_at, clock_timestamp(), $2, $1::int, kafka_offset, $12
FROM unnest($3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[], $9::timestamptz[],
  $10::bigint[], $11::text[], $13::bigint[], $14::int[])
  AS w (dedup_key, payload, store_id, purchase_id, amount, occurred_at, broker_at, kafka_offset, source, lane_id, seq)`;

const programsHash = Buffer.alloc(16);

const readMembers = async (pool: pg.Pool, keys: MemberKeys): Promise<ReadonlyMap<string, KnownMember>> => {
  const { rows } = await pool.query<{ member: string; lane: number; wrapped: Buffer }>(
    'SELECT member_id AS member, lane_id::int AS lane, wrapped_key AS wrapped FROM member JOIN member_key USING (lane_id)',
  );
  return new Map(rows.map(({ member, lane, wrapped }) => [member, { laneId: lane, key: keys.learn(lane, wrapped) }]));
};

/** One event with the place of its intent. */
interface Placed extends KnownMember {
  readonly message: KafkaMessage;
  readonly event: SealedPurchase;
  readonly seq: number;
  readonly keys: readonly [event: Buffer, business: Buffer];
  /** Of the content; nothing is compared with it. */
  readonly mac: Buffer;
}

const headersText = JSON.stringify(eventHeaders);

/** As ours: the command that the partner is to be sent, then the event as it came. */
const payloadOf = (keys: MemberKeys, { laneId, seq, key, event, message }: Placed): Buffer => {
  const [member = 0, rank = 0] = event.data.purchaseId.split('-').map(Number);
  const value = message.value?.toString() ?? '';
  const sourceEvent = sourceEventText({ headers: headersText, value, traceparent: null });
  const command = JSON.stringify(transactionCommand(member, rank));
  return sealPayload(keys, { laneId, seq, key }, { command, sourceEvent });
};

/** Gives each event the next seq of its member's lane. */
const placeAll = async (
  session: pg.PoolClient,
  messages: readonly KafkaMessage[],
  members: ReadonlyMap<string, KnownMember>,
): Promise<Placed[]> => {
  const known = messages.map((message) => {
    const event = JSON.parse(message.value?.toString() ?? '') as SealedPurchase;
    const member = members.get(event.subject);
    if (member === undefined) throw new Error(`nobody knows ${event.subject}`);
    return { message, event, ...member };
  });
  const groups = [...Map.groupBy(known, ({ laneId }) => laneId)];
  const values = [groups.map(([laneId]) => laneId), groups.map(([, group]) => group.length), programName];
  const { rows } = await session.query<{ laneId: number; tail: number }>({ name: 'lanes', text: extendLanes, values });
  const tails = new Map(rows.map(({ laneId, tail }) => [laneId, tail]));
  const placed = groups.flatMap(([laneId, group]) =>
    group.map((each, rank) => ({ ...each, seq: (tails.get(laneId) ?? NaN) - group.length + rank + 1 })),
  );
  return placed.map((each) => {
    const { source, id, data } = each.event;
    const keys = [digest(`${source}|${id}`), digest(`purchase|${data.purchaseId}`)] as const;
    return { ...each, keys, mac: digest(each.message.value?.toString() ?? '') };
  });
};

const identityColumns = (placed: readonly Placed[]): unknown[] => {
  const lines = placed.flatMap((each) => each.keys.map((key, index) => ({ ...each, key, isEvent: index === 0 })));
  return [
    lines.map(({ key }) => key),
    lines.map(({ isEvent }) => (isEvent ? 'event' : 'business')),
    lines.map(({ mac }) => mac),
    lines.map(({ laneId }) => laneId),
    lines.map(({ seq }) => seq),
  ];
};

/**
 * The same loop, with our rows in our tables: two identities and the sealed intent of each event, and its member's lane, in
 * one transaction per 500. No schema, no look for what was seen already, no order of its own: members are read beforehand.
 */
export const sealingIngest: Contestant = async (input) => {
  const pool = new pg.Pool({ connectionString: input.databaseUrl, max: partitionsConcurrent });
  const keys = memberKeysOf(input.encryptionKey);
  const members = await readMembers(pool, keys);
  const writeIn = async (session: pg.PoolClient, ...[topic, partition, messages]: Parameters<Write>): Promise<void> => {
    await session.query('BEGIN');
    const placed = await placeAll(session, messages, members);
    await session.query({ name: 'identities', text: insertIdentities, values: identityColumns(placed) });
    await session.query({
      name: 'intents',
      text: insertSealed,
      values: [
        partition,
        topic,
        placed.map((each) => each.keys[0]),
        placed.map((each) => payloadOf(keys, each)),
        ...plainColumns(
          placed.map(({ message }) => message),
          placed.map(({ event }) => event),
        ),
        placed.map(({ event }) => event.source),
        programsHash,
        placed.map(({ laneId }) => laneId),
        placed.map(({ seq }) => seq),
      ],
    });
    await session.query('COMMIT');
  };
  const figures = await consumeAll(input, async (...batch) => {
    const session = await pool.connect();
    await writeIn(session, ...batch).finally(() => session.release());
  });
  await pool.end();
  return figures;
};
