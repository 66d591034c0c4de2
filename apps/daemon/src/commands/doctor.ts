import { readFileSync } from 'node:fs';

import { readEnvironmentParts } from '#contracts';
import { createLogger, SystemClock } from '#platform';

import type { Diagnosis } from '../doctor/doctor.js';

/**
 * Examines what an environment leads to, for `loyaltyd doctor` without a server to ask, and for a server that is asked. No
 * daemon need run, and nothing is changed. Ends within 15 s. The doctor is loaded only here: `start` does not need it.
 */
export async function runDoctor(env: NodeJS.ProcessEnv): Promise<Pick<Diagnosis, 'report' | 'isConfigurationValid'>> {
  const parts = readEnvironmentParts(env, { readFile: (path) => readFileSync(path, 'utf8') });
  // The report says what is wrong: the log would repeat it, as a problem of the process itself.
  const logger = createLogger({ level: 'silent', service: 'loyaltyd' });
  const { diagnose } = await import('../doctor/doctor.js');
  // A clock of its own: a daemon's is anchored to Postgres, and would find nothing wrong with this machine's.
  return diagnose(parts, { clock: new SystemClock(), logger });
}
