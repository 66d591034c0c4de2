import { readFileSync } from 'node:fs';

import { readEnvironmentParts } from '#contracts';
import type { Logger } from '#platform';

import { SharedDoctor } from '../doctor/shared-doctor.js';

/** The doctor of this process. The environment is read again: a secret's file may have gone since the start. */
export function openDoctor(logger: Logger): SharedDoctor {
  const read = (): ReturnType<typeof readEnvironmentParts> =>
    readEnvironmentParts(process.env, { readFile: (path) => readFileSync(path, 'utf8') });
  return new SharedDoctor(read, logger);
}
