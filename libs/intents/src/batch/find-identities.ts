import type { KnownIdentity } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_identities',
  text: 'SELECT key, body_mac, lane_id, seq FROM dedup WHERE key = ANY ($1::bytea[])',
};

interface IdentityRow {
  readonly key: Buffer;
  readonly body_mac: Buffer;
  readonly lane_id: number | null;
  readonly seq: number | null;
}

/** The identities among these keys that were seen before, by hex key. */
export async function findIdentities(
  session: SqlSession,
  keys: readonly Uint8Array[],
): Promise<Map<string, KnownIdentity>> {
  const { rows } = await session.query<IdentityRow>(statement, [keys]);
  return new Map(
    rows.map(({ key, body_mac: mac, lane_id: laneId, seq }) => [
      key.toString('hex'),
      { contentMac: mac.toString('hex'), place: laneId === null || seq === null ? null : { laneId, seq } },
    ]),
  );
}
