import { readJsonText } from '#contracts';
import type { Random, SqlSession, SqlStatement } from '#platform';

import type { IngestKeys } from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import type { DeadLetter } from '../quarantine/dead-letters.js';
import { loadDeadLetters } from '../quarantine/dead-letters.js';
import { hasDigest, personDigest } from '../quarantine/person-digests.js';
import { correctParts, openCorrection, sealNoHeaders } from '../quarantine/sealed-record.js';
import { encodedIn, namedIn } from '../quarantine/record-names.js';
import { lockQuarantined, settleQuarantined } from '../quarantine/quarantine-settlements.js';

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

type Named = { readonly program?: unknown; readonly memberId?: unknown };

/**
 * In a text that is no JSON, or names nobody where it should: cut off, of an unknown kind, in another shape. An id of
 * digits may stand there as a number.
 */
function isNamedIn(text: string, memberId: string): boolean {
  const quoted = JSON.stringify(memberId).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const written = isNumeric(memberId) ? String.raw`(?:${quoted}|${memberId}(?![\d.eE]))` : quoted;
  return new RegExp(String.raw`(?:memberId|subject)"\s*:\s*${written}`).test(text);
}

function isOfOtherProgram(named: Named, program: string): boolean {
  return typeof named.program === 'string' && named.program !== program;
}

function isNumeric(memberId: string): boolean {
  return /^\d+$/.test(memberId);
}

/**
 * Whether a record that was set aside is about a member. Where it names a member, that decides, and so does the program
 * that it names, unless that is none of ours: a misspelled one says nothing. Where it names nobody, its key (producers send
 * the member's id), its subject, or a member's id anywhere in its text is enough: what cannot be read is of no use to
 * anybody, and may be personal.
 */
export function isAboutMember(
  { key, value, headersText, reason }: DeadLetter,
  { program, memberId }: MemberName,
): boolean {
  const text = value === null ? '' : Buffer.from(value).toString('utf8');
  const json = readJsonText(text);
  const encoded = encodedIn(json);
  const named: readonly Named[] = namedIn(json, encoded);
  if (reason !== 'unknown-program' && named.length > 0 && named.every((each) => isOfOtherProgram(each, program))) {
    return false;
  }
  const memberIds = named.map((each) => each.memberId).filter((each) => typeof each === 'string');
  if (memberIds.length > 0) return memberIds.includes(memberId);
  const keyText = key === null ? '' : Buffer.from(key).toString('utf8');
  return keyText === memberId || [text, encoded, headersText].some((each) => isNamedIn(each, memberId));
}

/** Records opened at once, and bytes of them, unless one alone has more. */
const scanRecordsMax = 200;
const scanBytesMax = 8 * 1_048_576;

const pageStatement: SqlStatement = {
  name: 'find_quarantine_page',
  text: `
SELECT q.quarantine_id AS id, o.quarantine_id IS NULL AS "isPublished",
  q.value_bytes + octet_length(q.sealed_headers) + COALESCE(octet_length(q.sealed_key), 0)
    + COALESCE(octet_length(s.sealed_correction), 0) AS bytes,
  s.sealed_correction AS correction, s.lane_id AS "laneId", q.person_macs AS "personMacs",
  q.person_programs IS NULL OR q.person_programs ? $2::text AS "isOfProgram"
FROM quarantine q LEFT JOIN dead_letter_outbox o USING (quarantine_id)
LEFT JOIN quarantine_settlement s USING (quarantine_id)
WHERE q.quarantine_id > $1::bigint AND q.erased_at IS NULL
ORDER BY q.quarantine_id LIMIT ${scanRecordsMax}`,
};

interface PageRow {
  readonly id: number;
  readonly isPublished: boolean;
  readonly bytes: number;
  /** What it was taken for instead of what arrived, and the lane of the intent that came of it. */
  readonly correction: Buffer | null;
  readonly laneId: number | null;
  /** Digests of whom it may be about; null: it is an event of ours. */
  readonly personMacs: Buffer | null;
  /** Its source could speak for the member's program. */
  readonly isOfProgram: boolean;
}

export interface QuarantineSearch {
  readonly member: MemberName;
  readonly laneId: number;
  /** Base64 of digests by which the person is known besides, as `personDigest` makes them. */
  readonly addressMacs?: readonly string[];
  /** The last id that was looked at; 0 to begin. */
  readonly after: number;
}

export interface QuarantineScan {
  /** About the member. */
  readonly found: readonly number[];
  /** Of these: of a source's own shape. */
  readonly mapped: number;
  /** Of these: no longer in the outbox of dead letters. */
  readonly published: number;
  readonly scanned: number;
  /** Where the next look goes on; null when none is left. */
  readonly next: number | null;
}

function fitting(rows: readonly PageRow[]): readonly PageRow[] {
  let bytes = 0;
  return rows.filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= scanBytesMax;
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

export async function look(
  session: SqlSession,
  { member, laneId, addressMacs = [], after }: QuarantineSearch,
  { quarantine: key, mac }: Pick<IngestKeys, 'quarantine' | 'mac'>,
): Promise<QuarantineScan> {
  const { rows } = await session.query<PageRow>(pageStatement, [after, member.program]);
  const macs = [personDigest(mac, member.memberId), ...addressMacs.map((address) => Buffer.from(address, 'base64'))];
  const isTheirs = ({ personMacs }: PageRow): boolean => personMacs !== null && hasDigest(personMacs, macs);
  const page = fitting(rows);
  const ids = page.map(({ id }) => id);
  const letters = new Map((await loadDeadLetters(session, ids, key)).map((letter) => [letter.quarantineId, letter]));
  const isFound = (row: PageRow): boolean => {
    const letter = letters.get(row.id);
    if (letter === undefined || row.laneId === laneId) return letter !== undefined;
    if (row.personMacs !== null && !row.isOfProgram) return false;
    if (isTheirs(row)) return true;
    const other = corrected(row, letter, key);
    return isAboutMember(letter, member) || (other !== null && isAboutMember(other, member));
  };
  const rowsFound = page.filter(isFound);
  const found = rowsFound.map(({ id }) => id);
  const mapped = rowsFound.filter(({ personMacs }) => personMacs !== null).length;
  const published = page.filter(({ id, isPublished }) => isPublished && found.includes(id)).length;
  const isLast = rows.length < scanRecordsMax && page.length === rows.length;
  return { found, mapped, published, scanned: page.length, next: isLast ? null : (ids.at(-1) ?? null) };
}

/** The row stays, with topic, offset and reason: it says that a record was there. Its dead letter goes out empty. */
const clearStatement: SqlStatement = {
  name: 'erase_quarantined',
  text: `
UPDATE quarantine SET sealed_key = NULL, sealed_value = NULL, sealed_headers = $2, detail = '', cause = '', erased_at = $3::timestamptz,
  number_key = NULL, number_lane_id = NULL, person_macs = NULL, person_programs = NULL
WHERE quarantine_id = $1::bigint`,
};

/** Nothing finds it by them any more. */
const forgetNamesStatement: SqlStatement = {
  name: 'forget_quarantine_names',
  text: `DELETE FROM quarantine_name WHERE quarantine_id = $1::bigint`,
};

/** Who dealt with it and what came of it stays. */
const forgetCorrectionStatement: SqlStatement = {
  name: 'forget_correction',
  text: `
UPDATE quarantine_settlement SET sealed_correction = NULL
WHERE quarantine_id = $1::bigint AND sealed_correction IS NOT NULL`,
};

export interface QuarantineErasure {
  readonly ids: readonly number[];
  readonly audit: AuditContext;
}

type Sealing = { readonly key: Uint8Array; readonly random: Random };

/** @param sealing null: no key is at hand, and no headers are left to be opened */
async function eraseOne(
  session: SqlSession,
  { quarantineId, audit }: { readonly quarantineId: number; readonly audit: AuditContext },
  sealing: Sealing | null,
): Promise<void> {
  const locked = await lockQuarantined(session, quarantineId);
  if (locked === null) return;
  const headers = sealing === null ? Buffer.alloc(0) : sealNoHeaders({ quarantineId, ...locked }, sealing);
  await session.query(clearStatement, [quarantineId, headers, timestamp(audit.at)]);
  await session.query(forgetNamesStatement, [quarantineId]);
  await session.query(forgetCorrectionStatement, [quarantineId]);
  if (locked.state !== 'open') return;
  const nothing = { ignoredReason: null, place: null, sealedCorrection: null, privileged: [] };
  await settleQuarantined(session, { quarantineId, locked, audit, result: 'discarded', ...nothing });
}

/** Takes the bytes out of records that were set aside, and gives up those that nobody has dealt with. */
export async function eraseQuarantined(
  session: SqlSession,
  { ids, audit }: QuarantineErasure,
  sealing: Sealing | null,
): Promise<void> {
  for (const quarantineId of ids) await eraseOne(session, { quarantineId, audit }, sealing);
}
