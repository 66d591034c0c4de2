import type { PassReference } from '#domain';
import { isJsonObject } from '../json/read-body.js';

/**
 * Whose pass an answer shows. `unsaid`: it carries no metaData at all. Anything present that is not our id under our
 * key makes it `foreign`, unreadable metaData included: a wrong "ours" would bind a member to another one's pass.
 */
export function passOwnership(
  pass: Readonly<Record<string, unknown>>,
  { uniqueId, uniqueIdKey }: PassReference,
): 'ours' | 'foreign' | 'unsaid' {
  const { passdata } = pass;
  const metaData = isJsonObject(passdata) ? passdata['metaData'] : passdata;
  if (metaData === undefined || metaData === null) return 'unsaid';
  if (!isJsonObject(metaData)) return 'foreign';
  if (Object.keys(metaData).length === 0) return 'unsaid';
  return metaData[uniqueIdKey] === uniqueId ? 'ours' : 'foreign';
}
