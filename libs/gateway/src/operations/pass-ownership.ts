import type { PassReference } from '#domain';
import { isJsonObject } from '../json/read-body.js';

/**
 * Whose pass an answer shows. `unsaid`: it carries no metaData at all. `unnamed`: metaData without a value under our key.
 * Anything else that is not our id under our key makes it `foreign`, unreadable metaData included: a wrong "ours" would
 * bind a member to another one's pass. A number equals its text: the partner may keep `81273` as a number.
 */
export function passOwnership(
  pass: Readonly<Record<string, unknown>>,
  { uniqueId, uniqueIdKey }: Pick<PassReference, 'uniqueId' | 'uniqueIdKey'>,
): 'ours' | 'foreign' | 'unsaid' | 'unnamed' {
  const { passdata } = pass;
  const metaData = isJsonObject(passdata) ? passdata['metaData'] : passdata;
  if (metaData === undefined || metaData === null) return 'unsaid';
  if (!isJsonObject(metaData)) return 'foreign';
  if (Object.keys(metaData).length === 0) return 'unsaid';
  const named = Object.hasOwn(metaData, uniqueIdKey) ? metaData[uniqueIdKey] : undefined;
  if (named === undefined || named === null || named === '') return 'unnamed';
  return (typeof named === 'number' ? String(named) : named) === uniqueId ? 'ours' : 'foreign';
}
