import type { DoctorReport, Environment, KafkaEnvironment } from '#contracts';
import type { InstallationKeys } from '#intents';
import type { Clock, Logger } from '#platform';
import { SystemRandom } from '#platform';

import type { ReadPrograms } from './configuration.js';
import { checkPrograms, environmentFindings, programsNames, soundParts } from './configuration.js';
import type { Step } from './examination.js';
import { Examination, notMade, releaseMs } from './examination.js';
import type { Finding } from './finding.js';
import { skipped } from './finding.js';
import { checkInstallation, checkRecovery } from './installation.js';
import { checkBrokers } from './kafka-connection.js';
import { checkGroup, checkPositions, checkRestored } from './kafka-consumption.js';
import { checkRetention, checkTopics } from './kafka-topics.js';
import { checkOidc, judgeAccess } from './operations.js';
import { examinePartner } from './partner.js';
import type { Store } from './postgres.js';
import { checkConnection, checkObjects, checkRole, checkSchema, checkServer } from './postgres.js';
import { checkProcesses } from './processes.js';

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

/** What others build on. */
interface ExaminedStore {
  readonly store: Step<Store>;
  readonly keys: Step<InstallationKeys>;
  readonly close: () => Promise<void>;
}

/** Postgres, what is in it, and the processes that report there. */
function examineStore(
  examination: Examination,
  programs: Step<ReadPrograms>,
  { environment, clock, logger }: { readonly environment: Environment; readonly clock: Clock; readonly logger: Logger },
): ExaminedStore {
  const { database: settings, encryptionKeys } = environment;
  if (settings === null) {
    const name = 'postgres.connection';
    examination.add(skipped(name, 'no usable database settings in this process'));
    return { store: notMade(name), keys: notMade(name), close: () => Promise.resolve() };
  }
  const { step: connection, close } = checkConnection(examination, settings, logger);
  const store = checkSchema(examination, connection, clock);
  checkServer(examination, connection, clock);
  checkObjects(examination, store);
  checkRole(examination, store);
  const keys = checkInstallation(examination, store, { environment, encryptionKeys });
  checkRecovery(examination, store);
  checkProcesses(examination, { store, programs });
  return { store, keys, close };
}

/** Brokers, topics, the consumer group and where we stand in what it consumes. */
function examineKafka(
  examination: Examination,
  { store, keys }: Pick<ExaminedStore, 'store' | 'keys'>,
  { kafka, ...tools }: DoctorTools & { readonly kafka: KafkaEnvironment | null },
): void {
  const { logger } = tools;
  if (kafka === null) {
    examination.add(skipped('kafka.connection', 'no usable Kafka settings in this process'));
    return;
  }
  const names = kafka.topics;
  const connection = checkBrokers(examination, kafka, logger);
  const topics = checkTopics(examination, connection, { names, logger });
  checkRetention(examination, { connection, topics }, { names, logger });
  checkGroup(examination, { connection, keys }, { kafka, logger });
  checkPositions(examination, { connection, topics, store }, { names, ...tools });
  checkRestored(examination, { connection, topics, store }, { kafka, logger });
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
  examination.add(...environmentFindings(value, errors));
  const paths = { path: value.programsFile, dialectPath: value.dialectFile };
  const programs = checkPrograms(examination, paths);
  const { store, keys, close } = examineStore(examination, programs, { environment, clock, logger });
  examineKafka(examination, { store, keys }, { kafka: environment.kafka, clock, logger });
  const tools = { clock, random: new SystemRandom(), logger };
  const closePartner = examinePartner(examination, programs, { environment, tools });
  examination.add(judgeAccess(value));
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
