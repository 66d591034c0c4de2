import type { Environment } from '#contracts';
import type { DialectBook } from '#gateway';
import { recordRouter } from '#ingest';
import type { ApiSettings } from '#operations';
import type { Wake } from '#platform';

import type { ProgramsHolder } from '../programs/programs-holder.js';
import type { Storage } from './storage.js';

export interface ApiParts {
  readonly storage: Storage;
  readonly programs: ProgramsHolder;
  readonly dialects: DialectBook;
  readonly wake: Wake;
}

/** What the operations API needs; null without the operations role. */
export function apiSettings({ roles, operations, kafka }: Environment, parts: ApiParts): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  const { storage, programs, dialects, wake } = parts;
  const { clock, random, database, keys } = storage;
  const { members, quarantine: quarantineKey } = keys;
  return {
    tokens: operations.tokens,
    oidc: operations.oidc,
    isReadOnly: operations.readOnly,
    topics: kafka?.topics ?? null,
    programs: () => programs.current.file,
    dialects,
    ...{ clock, random, database, keys: members, quarantineKey },
    intake: { keys, route: recordRouter(() => programs.current), wake },
  };
}
