import type { WalletPass } from '#contracts';
import type { ProgramReference } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';
import { keyedDigest } from '#platform';

/** A pass that the partner shows as the one of the member of a lane. */
export interface ShownPass {
  readonly laneId: number;
  readonly place: ProgramReference;
  readonly pass: Pick<WalletPass, 'passId' | 'serialNumber'>;
}

/** In the order of their digests: two who name the same passes wait for each other, and do not deadlock. */
const holdStatement: SqlStatement = {
  name: 'hold_passes',
  text: `
INSERT INTO pass_holder (name_mac, lane_id)
SELECT name_mac, lane_id FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS w (lane_id, name_mac, place)
ORDER BY name_mac, place ON CONFLICT DO NOTHING`,
};

/** It sees what others have committed while the statement before waited for them. */
const sharedStatement: SqlStatement = {
  name: 'find_shared_passes',
  text: `
WITH shared AS (
  SELECT DISTINCT ON (w.lane_id) w.lane_id, h.lane_id AS holder
  FROM unnest($1::bigint[], $2::bytea[]) AS w (lane_id, name_mac) JOIN pass_holder h USING (name_mac)
  WHERE h.lane_id <> w.lane_id ORDER BY w.lane_id, h.lane_id
), freed AS (
  DELETE FROM pass_holder h USING shared s, unnest($1::bigint[], $2::bytea[]) AS w (lane_id, name_mac)
  WHERE w.lane_id = s.lane_id AND h.lane_id = w.lane_id AND h.name_mac = w.name_mac
)
SELECT s.lane_id AS "laneId", m.program_id AS program, m.member_id AS "memberId", o.member_id AS holder
FROM shared s JOIN member m USING (lane_id) JOIN member o ON o.lane_id = s.holder`,
};

interface SharedRow {
  readonly laneId: number;
  readonly program: string;
  readonly memberId: string;
  readonly holder: string;
}

function nameMac(
  { brandId, programId }: Pick<ProgramReference, 'brandId' | 'programId'>,
  name: string,
  macKey: Uint8Array,
): Buffer {
  return keyedDigest(macKey, `pass of ${brandId}/${programId}: ${name}`);
}

/** What the partner calls a pass, by whichever of its names an answer shows. */
function nameMacs({ place, pass: { passId, serialNumber } }: ShownPass, macKey: Uint8Array): Buffer[] {
  const names = [
    ...(passId === undefined ? [] : [`id ${passId}`]),
    ...(serialNumber === undefined ? [] : [`serial ${serialNumber}`]),
  ];
  return names.map((name) => nameMac(place, name, macKey));
}

/** By which the card of this number or id is held, where there is one. */
export function passNameDigests(
  place: Pick<ProgramReference, 'brandId' | 'programId'>,
  name: string,
  macKey: Uint8Array,
): readonly Buffer[] {
  return [`id ${name}`, `serial ${name}`].map((each) => nameMac(place, each, macKey));
}

const sentence = ({ program, holder, memberId }: SharedRow): string =>
  `${program}: the members ${holder} and ${memberId} have one pass at the partner. It is the card of ${holder}; nothing of ${memberId} is sent to it`;

/**
 * A pass is the card of the member who was shown with it first, until their erasure. Repeating it changes nothing.
 * @returns by lane: of whom it is refused, for the pass is another member's, in one sentence
 */
export async function holdPasses(
  session: SqlSession,
  shown: readonly ShownPass[],
  macKey: Uint8Array,
): Promise<ReadonlyMap<number, string>> {
  const names = shown.flatMap((each) => nameMacs(each, macKey).map((mac) => ({ laneId: each.laneId, mac })));
  if (names.length === 0) return new Map();
  const parameters = [names.map(({ laneId }) => laneId), names.map(({ mac }) => mac)];
  await session.query(holdStatement, parameters);
  const { rows } = await session.query<SharedRow>(sharedStatement, parameters);
  return new Map(rows.map((row) => [row.laneId, sentence(row)]));
}

/** The same of one pass. @returns null: it is the member's */
export async function holdPass(database: Database, shown: ShownPass, macKey: Uint8Array): Promise<string | null> {
  const refused = await database.transaction('hold_pass', (session) => holdPasses(session, [shown], macKey));
  return refused.get(shown.laneId) ?? null;
}
