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
  const metaData = (isJsonObject(passdata) ? passdata['metaData'] : passdata) ?? {};
  if (!isJsonObject(metaData)) return 'foreign';
  if (Object.keys(metaData).length === 0) return 'unsaid';
  const named = textOf(new Map(Object.entries(metaData)).get(uniqueIdKey) ?? '');
  if (named === '') return 'unnamed';
  return named === uniqueId ? 'ours' : 'foreign';
}

function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}
