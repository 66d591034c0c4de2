import type { Environment } from '#contracts';
import { recordRouter } from '#ingest';
import type { ApiSettings } from '#operations';
import type { Wake } from '#platform';

import type { ProgramsHolder } from '../programs/programs-holder.js';
import type { Storage } from './storage.js';

/** What the operations API needs; null without the operations role. */
export function apiSettings(
  { roles, operations, kafka }: Environment,
  storage: Storage,
  { programs, wake }: { readonly programs: ProgramsHolder; readonly wake: Wake },
): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  const { clock, random, database, keys } = storage;
  const { tokens, readOnly: isReadOnly } = operations;
  const { members, quarantine: quarantineKey } = keys;
  const topics = kafka?.topics ?? null;
  const intake = { keys, route: recordRouter(() => programs.current), wake };
  return { tokens, isReadOnly, topics, clock, random, database, keys: members, quarantineKey, intake };
}
