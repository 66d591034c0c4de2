import type { Environment } from '#contracts';
import type { ApiSettings } from '#operations';

import type { Storage } from './storage.js';

/** What the operations API needs; null without the operations role. */
export function apiSettings({ roles, operations, kafka }: Environment, storage: Storage): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  const { clock, database, keys } = storage;
  const { tokens, readOnly: isReadOnly } = operations;
  return { tokens, isReadOnly, topics: kafka?.topics ?? null, clock, database, keys: keys.members };
}
