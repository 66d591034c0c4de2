import type { DoctorReport, Environment } from '#contracts';
import type { Clock, Logger } from '#platform';
import { SystemRandom } from '#platform';

import { timeoutRemedy } from '../storage/describe-connect-failure.js';
import type { Check, Context } from './checks.js';
import { check, connectMs, runChecks } from './checks.js';
import { checkDatabaseClock } from './clocks.js';
import { checkEnvironment, checkPrograms, fileRemedy, isConfiguration, soundParts } from './configuration.js';
import { checkDoor } from './door.js';
import { checkInstallation, checkOwnership } from './installation.js';
import {
  checkGroup,
  checkGroupOwner,
  checkPositions,
  checkRestored,
  checkRetention,
  checkShards,
  checkTopics,
} from './kafka.js';
import { checkBrokers } from './kafka-connection.js';
import { checkMasterKeys, vaultRemedy } from './master-keys.js';
import { checkNoticeAddresses, checkNoticeDeliveries, noticesRemedy } from './notices.js';
import { checkOidc, oidcRemedy } from './oidc.js';
import { pageOf } from './pages.js';
import { checkAddress, checkLookups, checkToken, codeRemedy, tokenAwayRemedy } from './partner.js';
import { checkConnection, checkRole, checkSchema, checkServer, checkSettings, slowRemedy } from './postgres.js';
import { checkProcesses } from './processes.js';
import { checkProgramsChanges } from './programs.js';
import { checkRegistry, registryRemedy } from './registry.js';
import { checkSchemas, checkSourceTopics } from './sources.js';

const silentBrokers =
  'Brokers that take a connection and never answer are overloaded, or are no Kafka. Look at their logs.';
const slowBrokers = 'The brokers, or the group’s coordinator, are slow: look at their logs, then try again.';

/** Everything that is looked at, in the order of the report. What opens something stands before what needs it. */
export const checks: readonly Check[] = [
  check({ name: 'environment', remedy: '', run: checkEnvironment }),
  check({ name: 'programs.file', opens: 'programs', remedy: fileRemedy, run: checkPrograms }),
  check({
    name: 'postgres.connection',
    opens: 'postgres',
    limitMs: connectMs,
    remedy: timeoutRemedy,
    run: checkConnection,
  }),
  check({ name: 'postgres.schema', needs: ['postgres'], opens: 'store', remedy: slowRemedy, run: checkSchema }),
  check({ name: 'postgres.version', needs: ['postgres'], remedy: slowRemedy, run: checkServer }),
  check({ name: 'postgres.settings', needs: ['postgres'], remedy: slowRemedy, run: checkSettings }),
  check({ name: 'clock.postgres', needs: ['postgres'], remedy: slowRemedy, run: checkDatabaseClock }),
  check({ name: 'postgres.role', needs: ['store'], remedy: slowRemedy, run: checkRole }),
  check({
    name: 'installation.vault',
    opens: 'masterKeys',
    limitMs: connectMs,
    remedy: vaultRemedy,
    run: checkMasterKeys,
  }),
  check({
    name: 'installation.keys',
    needs: ['store', 'masterKeys'],
    opens: 'keys',
    remedy: slowRemedy,
    run: checkInstallation,
  }),
  check({ name: 'installation.ownership', needs: ['store'], remedy: slowRemedy, run: checkOwnership }),
  check({
    name: 'programs.changes',
    needs: ['store', 'programs', 'masterKeys'],
    remedy: slowRemedy,
    run: checkProgramsChanges,
  }),
  check({ name: 'processes.alive', needs: ['store'], remedy: slowRemedy, run: checkProcesses }),
  check({
    name: 'kafka.connection',
    opens: 'kafka',
    limitMs: connectMs,
    remedy: silentBrokers,
    run: checkBrokers,
  }),
  check({
    name: 'kafka.topics',
    needs: ['kafka'],
    uses: ['programs'],
    opens: 'topics',
    remedy: slowBrokers,
    run: checkTopics,
  }),
  check({ name: 'kafka.retention', needs: ['kafka', 'topics'], remedy: slowBrokers, run: checkRetention }),
  check({ name: 'kafka.door', needs: ['kafka', 'topics', 'programs'], remedy: slowBrokers, run: checkDoor }),
  check({
    name: 'sources.topics',
    needs: ['kafka', 'topics', 'programs'],
    remedy: slowBrokers,
    run: checkSourceTopics,
  }),
  check({ name: 'kafka.registry', limitMs: connectMs, remedy: registryRemedy, run: checkRegistry }),
  check({ name: 'sources.registry', needs: ['programs'], remedy: registryRemedy, run: checkSchemas }),
  check({ name: 'kafka.group', needs: ['kafka'], opens: 'group', remedy: slowBrokers, run: checkGroup }),
  check({ name: 'kafka.group-owner', needs: ['group', 'keys', 'store'], remedy: slowBrokers, run: checkGroupOwner }),
  check({ name: 'kafka.shards', needs: ['group', 'kafka', 'store'], remedy: slowBrokers, run: checkShards }),
  check({ name: 'kafka.lag', needs: ['kafka', 'topics', 'store'], remedy: slowBrokers, run: checkPositions }),
  check({ name: 'kafka.forgotten', needs: ['kafka', 'topics', 'store'], remedy: slowBrokers, run: checkRestored }),
  check({
    name: 'partner.address',
    opens: 'address',
    limitMs: connectMs,
    remedy: 'Try it by hand: curl -v WALLET_BASE_URL',
    run: checkAddress,
  }),
  check({ name: 'partner.token', needs: ['address'], opens: 'partner', remedy: tokenAwayRemedy, run: checkToken }),
  check({ name: 'partner.lookup', needs: ['partner', 'programs'], remedy: codeRemedy('timeout'), run: checkLookups }),
  check({ name: 'operations.oidc', remedy: oidcRemedy, run: checkOidc }),
  check({ name: 'notices.address', limitMs: connectMs, remedy: noticesRemedy, run: checkNoticeAddresses }),
  check({ name: 'notices.delivery', needs: ['store'], remedy: slowRemedy, run: checkNoticeDeliveries }),
];

/** The environment as it could be read, and what is wrong with it, one message per variable. */
interface ReadParts {
  readonly value: Environment;
  readonly errors: readonly string[];
}

export interface Diagnosis {
  readonly report: DoctorReport;
  /** The environment, the programs file and the dialects: what keeps a start from being tried. */
  readonly isConfigurationValid: boolean;
  /** Resolves when every connection is closed. Never rejects. */
  readonly released: Promise<void>;
}

/** How long letting go of connections is waited for. */
const releaseMs = 1_000;

/** The doctor must end soon: a check that hangs is closed. */
async function release(works: readonly Promise<unknown>[], { closing, clock }: Context): Promise<void> {
  const waiting = new AbortController();
  const ended = Promise.allSettled(works);
  await Promise.race([ended, clock.sleep(releaseMs, waiting.signal).catch(() => undefined)]);
  waiting.abort();
  await Promise.allSettled(closing.map((close) => close()));
  await ended;
  // What was only just opening when we closed.
  await Promise.allSettled(closing.map((close) => close()));
}

/**
 * Looks at everything that the daemon depends on, from the environment alone: no daemon need run. Checks that do not build
 * on each other run side by side; none of them changes anything, and all have ended after 13 s at the latest.
 */
export async function diagnose(
  { value, errors }: ReadParts,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<Diagnosis> {
  const startedAt = clock.monotonic();
  const checkedAt = new Date(clock.now()).toISOString();
  const environment = { ...value, ...soundParts(value, errors) };
  const context: Context = { environment, errors, clock, logger, random: new SystemRandom(), opened: {}, closing: [] };
  const { findings, works } = await runChecks(checks, context);
  const report: DoctorReport = {
    ok: findings.every(({ state }) => state !== 'failed'),
    checkedAt,
    durationMs: Math.round(clock.monotonic() - startedAt),
    checks: findings.map((finding) => ({ ...finding, page: pageOf(finding.name) })),
  };
  return {
    report,
    isConfigurationValid: !findings.some(isConfiguration),
    released: release(works, context),
  };
}
