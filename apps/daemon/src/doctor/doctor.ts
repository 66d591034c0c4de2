import type { DoctorReport, Environment } from '#contracts';
import type { Clock, Logger } from '#platform';
import { SystemRandom } from '#platform';

import { environmentFindings, soundParts } from './check-environment.js';
import { checkPrograms, programsNames } from './check-programs.js';
import { examineKafka } from './examine-kafka.js';
import { examinePartner } from './examine-partner.js';
import { examineStore } from './examine-store.js';
import { Examination } from './examination.js';
import type { Finding } from './finding.js';
import { releaseMs } from './limits.js';
import { judgeAccess } from './operations/check-access.js';
import { checkOidc } from './operations/check-oidc.js';

/** The environment as it could be read, and what is wrong with it, one message per variable. */
export interface ReadParts {
  readonly value: Environment;
  readonly errors: readonly string[];
}

export interface DoctorTools {
  /** This machine's own, not anchored to anything: it is looked at, too. */
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Diagnosis {
  readonly report: DoctorReport;
  /** The environment, the programs file and the dialects: what keeps a start from being tried. */
  readonly isConfigurationValid: boolean;
  /** Resolves when every connection is closed. Never rejects. */
  readonly released: Promise<void>;
}

function isConfiguration({ name, state }: Finding): boolean {
  return state === 'failed' && (name.startsWith('environment') || programsNames.includes(name));
}

/** Nobody waits for long: what hangs is closed all the same. */
async function release(
  examination: Examination,
  closing: readonly (() => Promise<void>)[],
  clock: Clock,
): Promise<void> {
  const waiting = new AbortController();
  const late = clock.sleep(releaseMs, waiting.signal).catch(() => undefined);
  await Promise.race([examination.settled(), late]);
  waiting.abort();
  const closeAll = (): Promise<unknown> => Promise.allSettled(closing.map((close) => close()));
  await closeAll();
  await examination.settled();
  // What was only just opening when we closed.
  await closeAll();
}

/**
 * Looks at everything that the daemon depends on, from the environment alone: no daemon need run. Checks that do not build
 * on each other run side by side; none of them changes anything, and all have ended after 13 s at the latest.
 */
export async function diagnose({ value, errors }: ReadParts, { clock, logger }: DoctorTools): Promise<Diagnosis> {
  const startedAt = clock.monotonic();
  const checkedAt = new Date(clock.now()).toISOString();
  const environment = { ...value, ...soundParts(value, errors) };
  const examination = new Examination(clock);
  examination.tell(...environmentFindings(value, errors));
  const paths = { path: value.programsFile, dialectPath: value.dialectFile };
  const programs = checkPrograms(examination, paths);
  const { store, keys, close } = examineStore(examination, programs, { environment, clock, logger });
  examineKafka(examination, { store, keys }, { kafka: environment.kafka, logger });
  const tools = { clock, random: new SystemRandom(), logger };
  const closePartner = examinePartner(examination, programs, { environment, tools });
  examination.tell(judgeAccess(value));
  if (value.operations.oidc !== null) checkOidc(examination, value.operations.oidc);
  const checks = [...(await examination.report())];
  const report: DoctorReport = {
    ok: checks.every(({ state }) => state !== 'failed'),
    checkedAt,
    durationMs: Math.round(clock.monotonic() - startedAt),
    checks,
  };
  return {
    report,
    isConfigurationValid: !checks.some(isConfiguration),
    released: release(examination, [close, closePartner], clock),
  };
}
