import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { FinishedFile } from './archive-file.js';

const statement: SqlStatement = {
  name: 'record_archive',
  text: `
INSERT INTO archive (file, sha256, bytes, intents, facts, first_pos, last_pos, archived_at)
VALUES ($1, $2::bytea, $3, $4, $5, $6, $7, $8::timestamptz) RETURNING archive_id AS "archiveId"`,
};

/** What a file holds. Positions: of its first and its last fact. */
export interface ArchiveContent {
  readonly intents: number;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly archivedAt: number;
}

/** Makes a file known; only what lies in a known one may leave. @returns its number */
export async function recordArchive(database: Database, file: FinishedFile, content: ArchiveContent): Promise<number> {
  const { rows } = await database.execute<{ archiveId: number }>(statement, [
    file.file,
    file.sha256,
    file.bytes,
    content.intents,
    file.lines,
    content.firstPosition,
    content.lastPosition,
    timestamp(content.archivedAt),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the archive was not recorded');
  return row.archiveId;
}
