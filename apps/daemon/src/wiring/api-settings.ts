import type { Environment } from '#contracts';
import type { DialectBook } from '#gateway';
import type { ApiSettings } from '#operations';

import type { ProgramsHolder } from '../programs/programs-holder.js';
import type { Storage } from './storage.js';

export interface ApiParts {
  readonly storage: Storage;
  readonly programs: ProgramsHolder;
  readonly dialects: DialectBook;
}

/** What the operations API needs; null without the operations role. */
export function apiSettings({ roles, operations, kafka }: Environment, parts: ApiParts): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  const { clock, random, database, keys } = parts.storage;
  const { tokens, oidc, readOnly: isReadOnly } = operations;
  const { members, quarantine: quarantineKey } = keys;
  const { dialects } = parts;
  const topics = kafka?.topics ?? null;
  const programs = () => parts.programs.current.file;
  return {
    tokens,
    oidc,
    isReadOnly,
    topics,
    programs,
    dialects,
    clock,
    random,
    database,
    keys: members,
    quarantineKey,
  };
}
