import { readFileSync } from 'node:fs';

import { readEnvironmentParts } from '#contracts';
import { createLogger, SystemClock } from '#platform';

import type { Diagnosis } from '../doctor/doctor.js';
import { diagnose } from '../doctor/doctor.js';

/**
 * `loyaltyd doctor` without a server to ask: examines what this process's environment leads to. No daemon need run, and
 * nothing is changed. Ends within 15 s.
 */
export async function runDoctor(env: NodeJS.ProcessEnv): Promise<Pick<Diagnosis, 'report' | 'isConfigurationValid'>> {
  const parts = readEnvironmentParts(env, { readFile: (path) => readFileSync(path, 'utf8') });
  // What goes wrong stands in the report: the log would tell it a second time.
  const logger = createLogger({ level: 'silent', service: 'loyaltyd' });
  return diagnose(parts, { clock: new SystemClock(), logger });
}
