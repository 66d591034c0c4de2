import type { ExportLine } from '#contracts';
import type { ExportExtent, ExportPosition, MemberKeys } from '#intents';
import { exportStart, readExport } from '#intents';
import type { Clock, Database } from '#platform';

import { textOf, toExportLine } from './export-line.js';

/** A page ends when it is this large or has taken this long, full or not: nobody waits, and memory is bounded. */
const pageTextMax = 8 * 1_048_576;
const pageMsMax = 1_000;

export interface ExportPageRequest {
  readonly extent: ExportExtent;
  /** Where the page before ended; null for the first. */
  readonly after: ExportPosition | null;
  readonly limit: number;
  readonly isMasked: boolean;
}

export interface ExportPage {
  readonly lines: readonly ExportLine[];
  readonly texts: readonly string[];
  readonly next: ExportPosition | null;
}

/** One page of an export's lines. */
export async function readExportPage(
  { database, clock, keys }: { readonly database: Database; readonly clock: Clock; readonly keys: MemberKeys },
  { extent, after, limit, isMasked }: ExportPageRequest,
): Promise<ExportPage> {
  const endsAt = clock.monotonic() + pageMsMax;
  const lines: ExportLine[] = [];
  const texts: string[] = [];
  let next: ExportPosition | null = after ?? exportStart(extent);
  let size = 0;
  while (next !== null && lines.length < limit && size < pageTextMax) {
    const look = await readExport(database, { extent, after: next, limit: limit - lines.length }, keys);
    for (const fact of look.facts) {
      const line = toExportLine(fact, isMasked);
      const text = textOf(line);
      lines.push(line);
      texts.push(text);
      size += text.length;
    }
    ({ next } = look);
    if (clock.monotonic() > endsAt) break;
  }
  return { lines, texts, next };
}
