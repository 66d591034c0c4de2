import type { Database, SqlSession, SqlStatement } from '#platform';

import type { DeadLetter } from '../quarantine/dead-letters.js';
import { loadDeadLetters } from '../quarantine/dead-letters.js';
import { correctParts, openCorrection } from '../quarantine/sealed-record.js';
import type { MemberName } from './is-about-member.js';
import { isAboutMember } from './is-about-member.js';

/** Records opened at once, and bytes of them, unless one alone has more. */
export const quarantineLookMax = 200;
const lookBytesMax = 8 * 1_048_576;

const pageStatement: SqlStatement = {
  name: 'find_quarantine_page',
  text: `
SELECT q.quarantine_id AS id, o.quarantine_id IS NULL AS "isPublished",
  q.value_bytes + octet_length(q.sealed_headers) + COALESCE(octet_length(q.sealed_key), 0)
    + COALESCE(octet_length(s.sealed_correction), 0) AS bytes,
  s.sealed_correction AS correction, s.lane_id AS "laneId"
FROM quarantine q LEFT JOIN dead_letter_outbox o USING (quarantine_id)
LEFT JOIN quarantine_settlement s USING (quarantine_id)
WHERE q.quarantine_id > $1::bigint AND q.erased_at IS NULL
ORDER BY q.quarantine_id LIMIT ${quarantineLookMax}`,
};

interface PageRow {
  readonly id: number;
  readonly isPublished: boolean;
  readonly bytes: number;
  /** What it was taken for instead of what arrived, and the lane of the intent that came of it. */
  readonly correction: Buffer | null;
  readonly laneId: number | null;
}

export interface QuarantineSearch {
  readonly member: MemberName;
  readonly laneId: number;
  /** The last id that was looked at; 0 to begin. */
  readonly after: number;
}

export interface QuarantineLook {
  /** About the member. */
  readonly found: readonly number[];
  /** Of these: no longer in the outbox of dead letters. */
  readonly published: number;
  readonly looked: number;
  /** Where the next look goes on; null when none is left. */
  readonly next: number | null;
}

function fitting(rows: readonly PageRow[]): readonly PageRow[] {
  let bytes = 0;
  return rows.filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= lookBytesMax;
  });
}

/** Its letter as somebody corrected it; null where nobody did. */
function corrected(
  { id: quarantineId, correction: sealed }: PageRow,
  letter: DeadLetter,
  key: Uint8Array,
): DeadLetter | null {
  const correction = sealed === null ? 'lost' : openCorrection({ quarantineId, sealed }, key);
  if (correction === 'lost') return null;
  const { key: name, value, headersText } = correctParts(letter, correction);
  return { ...letter, key: name, value: value === 'lost' ? null : value, headersText: headersText ?? '{}' };
}

async function look(
  session: SqlSession,
  { member, laneId, after }: QuarantineSearch,
  key: Uint8Array,
): Promise<QuarantineLook> {
  const { rows } = await session.query<PageRow>(pageStatement, [after]);
  const page = fitting(rows);
  const ids = page.map(({ id }) => id);
  const letters = new Map((await loadDeadLetters(session, ids, key)).map((letter) => [letter.quarantineId, letter]));
  const isFound = (row: PageRow): boolean => {
    const letter = letters.get(row.id);
    if (letter === undefined || row.laneId === laneId) return letter !== undefined;
    const other = corrected(row, letter, key);
    return isAboutMember(letter, member) || (other !== null && isAboutMember(other, member));
  };
  const found = page.filter(isFound).map(({ id }) => id);
  const published = page.filter(({ id, isPublished }) => isPublished && found.includes(id)).length;
  const isLast = rows.length < quarantineLookMax && page.length === rows.length;
  return { found, published, looked: page.length, next: isLast ? null : (ids.at(-1) ?? null) };
}

/** Looks through the next records of the quarantine for those about a member, as they arrived or as they were corrected. */
export async function lookThroughQuarantine(
  database: Database,
  request: QuarantineSearch,
  key: Uint8Array,
): Promise<QuarantineLook> {
  return database.transaction('look_through_quarantine', (session) => look(session, request, key));
}
