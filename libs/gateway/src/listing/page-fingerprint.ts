import { createHash } from 'node:crypto';
import { isJsonObject } from '../json/read-body.js';

/** Equal for pages that hold the same passes in the same order, whatever has changed in them meanwhile. */
export function pageFingerprint(rows: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${rowText(row)}\n`);
  return hash.digest('base64');
}

function rowText(row: unknown): string {
  if (!isJsonObject(row)) return JSON.stringify(row);
  const { passId, serialNumber } = row;
  const hasId = passId !== undefined || serialNumber !== undefined;
  return JSON.stringify(hasId ? [passId, serialNumber] : row);
}
