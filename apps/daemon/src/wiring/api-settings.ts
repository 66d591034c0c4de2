import type { DialectRegistry } from '#gateway';
import { recordRouter } from '#ingest';
import type { ApiSettings, ProgramsControl } from '#operations';
import type { Logger, Wake } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';
import type { ProgramsHolder } from '../programs/programs-holder.js';
import { openDoctor } from './doctor.js';
import type { Storage } from './storage.js';

export interface ApiParts {
  readonly storage: Storage;
  readonly programs: ProgramsHolder;
  readonly control: ProgramsControl;
  readonly dialects: DialectRegistry;
  readonly wake: Wake;
  readonly logger: Logger;
}

/** What the operations API needs; null without the operations role. */
export function apiSettings(live: Pick<LiveEnvironment, 'current'>, parts: ApiParts): ApiSettings | null {
  const { roles, operations, kafka } = live.current;
  if (!roles.includes('operations')) return null;
  const { storage, programs, control, dialects, wake } = parts;
  const { clock, random, database, keys } = storage;
  const { members, quarantine: quarantineKey } = keys;
  const doctor = openDoctor(parts.logger);
  return {
    tokens: () => live.current.operations.tokens,
    oidc: operations.oidc,
    isReadOnly: operations.readOnly,
    topics: kafka?.topics ?? null,
    programs: () => programs.current.file,
    dialects,
    ...{ clock, random, database, keys: members, quarantineKey },
    intake: { keys, route: recordRouter(() => programs.current), wake },
    programsControl: control,
    examine: () => doctor.examine(),
  };
}
