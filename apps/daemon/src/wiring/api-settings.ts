import type { Environment } from '#contracts';
import type { ApiSettings } from '#operations';

import type { ProgramsHolder } from '../programs/programs-holder.js';
import type { Storage } from './storage.js';

/** What the operations API needs; null without the operations role. */
export function apiSettings(
  { roles, operations, kafka }: Environment,
  storage: Storage,
  holder: ProgramsHolder,
): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  const { clock, random, database, keys } = storage;
  const { tokens, readOnly: isReadOnly } = operations;
  const { members, quarantine: quarantineKey } = keys;
  const topics = kafka?.topics ?? null;
  const programs = () => holder.current.file;
  return { tokens, isReadOnly, topics, programs, clock, random, database, keys: members, quarantineKey };
}
