import type { Environment } from '#contracts';
import type { ApiSettings } from '#operations';

import type { Storage } from './storage.js';

/** What the operations API needs; null without the operations role. */
export function apiSettings(
  { roles, operations, kafka }: Environment,
  storage: Storage,
  more: Pick<ApiSettings, 'programs' | 'examine'>,
): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  const { clock, random, database, keys } = storage;
  const { tokens, readOnly: isReadOnly } = operations;
  const { members, quarantine: quarantineKey } = keys;
  const topics = kafka?.topics ?? null;
  return { tokens, isReadOnly, topics, clock, random, database, keys: members, quarantineKey, ...more };
}
