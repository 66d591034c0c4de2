import type { Database, SqlSession, SqlStatement } from '#platform';

import { openCorrection } from '../quarantine/correction.js';
import { loadDeadLetters } from '../quarantine/load-dead-letters.js';
import type { MemberName } from './is-about-member.js';
import { isAboutMember } from './is-about-member.js';

/** Records opened at once, and bytes of them, unless one alone has more. */
export const quarantineLookMax = 200;
const lookBytesMax = 8 * 1_048_576;

const pageStatement: SqlStatement = {
  name: 'find_quarantine_page',
  text: `
SELECT q.quarantine_id AS id, o.quarantine_id IS NULL AS "isPublished",
  q.value_bytes + octet_length(q.sealed_headers) + COALESCE(octet_length(q.sealed_key), 0) AS bytes,
  s.sealed_correction AS correction,
  COALESCE(m.program_id = $2 AND m.member_id = $3, false) AS "becameTheirs"
FROM quarantine q LEFT JOIN dead_letter_outbox o USING (quarantine_id)
LEFT JOIN quarantine_settlement s USING (quarantine_id) LEFT JOIN member m ON m.lane_id = s.lane_id
WHERE q.quarantine_id > $1::bigint AND q.erased_at IS NULL
ORDER BY q.quarantine_id LIMIT ${quarantineLookMax}`,
};

interface PageRow {
  readonly id: number;
  readonly isPublished: boolean;
  readonly bytes: number;
  /** What somebody took it for instead of what arrived, sealed. */
  readonly correction: Buffer | null;
  /** It became an intent of the member. */
  readonly becameTheirs: boolean;
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

/** What was taken in after all, as it arrived or as somebody corrected it. */
function isTakenForTheirs({ id, correction, becameTheirs }: PageRow, member: MemberName, key: Uint8Array): boolean {
  if (becameTheirs) return true;
  const opened = correction === null ? 'lost' : openCorrection({ quarantineId: id, sealed: correction }, key);
  if (opened === 'lost') return false;
  const { key: recordKey, value, headersText = '{}' } = opened;
  const bytes = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  return isAboutMember({ key: bytes(recordKey), value: bytes(value), headersText }, member);
}

async function look(
  session: SqlSession,
  { member, after }: { readonly member: MemberName; readonly after: number },
  key: Uint8Array,
): Promise<QuarantineLook> {
  const { rows } = await session.query<PageRow>(pageStatement, [after, member.program, member.memberId]);
  const page = fitting(rows);
  const ids = page.map(({ id }) => id);
  const letters = await loadDeadLetters(session, ids, key);
  const told = new Set(letters.filter((letter) => isAboutMember(letter, member)).map((letter) => letter.quarantineId));
  const found = page.filter((row) => told.has(row.id) || isTakenForTheirs(row, member, key)).map(({ id }) => id);
  const published = page.filter(({ id, isPublished }) => isPublished && found.includes(id)).length;
  const isLast = rows.length < quarantineLookMax && page.length === rows.length;
  return { found, published, looked: page.length, next: isLast ? null : (ids.at(-1) ?? null) };
}

/** Looks through the next records of the quarantine for those about a member (after the given id, 0 to begin). */
export async function lookThroughQuarantine(
  database: Database,
  request: { readonly member: MemberName; readonly after: number },
  key: Uint8Array,
): Promise<QuarantineLook> {
  return database.transaction('look_through_quarantine', (session) => look(session, request, key));
}
