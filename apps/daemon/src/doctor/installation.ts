import type { Environment } from '#contracts';
import type { InspectedInstallation, InstallationKeys, PartnerIdentity, RecoveryStatus, SampledKeys } from '#intents';
import { findRecovery, inspectInstallation, MemberKeys, sampleMemberKeys } from '#intents';
import type { Database } from '#platform';
import { Keyring, SystemRandom } from '#platform';

import type { Examination, Examined, Step } from './examination.js';
import { concludeMs, readMs } from './examination.js';
import type { Finding } from './finding.js';
import { failed, ok, skipped, warning } from './finding.js';
import type { Store } from './postgres.js';
import { slowRemedy } from './postgres.js';

const partnerName = 'installation.partner';
const keysName = 'installation.keys';

const fresh = 'nobody has started on this database yet';
const keysRemedy =
  'LOYALTYD_ENCRYPTION_KEY must hold the key of this database, beside newer ones (comma list, the first encrypts). Look for ' +
  'it where keys are kept apart from backups: without it no payload can ever be opened.';

/** Only where both are known something can be wrong. */
export function judgePartner(remembered: PartnerIdentity | null, configured: PartnerIdentity | null): Finding {
  if (configured === null) return skipped(partnerName, 'no partner is configured in this process');
  const text = `${configured.baseUrl} (${configured.environment})`;
  if (remembered === null) {
    return ok(partnerName, `the database belongs to no partner yet; the first start makes it ${text}`);
  }
  const isSame = remembered.baseUrl === configured.baseUrl && remembered.environment === configured.environment;
  if (isSame) return ok(partnerName, text);
  return failed(partnerName, {
    detail: `the database belongs to ${remembered.baseUrl} (${remembered.environment}), configured is ${text}`,
    remedy:
      'Is this a copy of another installation’s database, or is WALLET_BASE_URL or WALLET_ENVIRONMENT wrong? Only if the ' +
      'database really shall be used with the other partner: loyaltyd migrate --adopt-environment.',
  });
}

/** Whether the configured keys open what is stored. */
export function judgeKeys(hasInstallation: boolean, { tried, unopened }: SampledKeys): Finding {
  if (!hasInstallation) {
    return failed(keysName, { detail: 'none of the configured keys opens this database', remedy: keysRemedy });
  }
  if (unopened === 0) {
    return ok(keysName, `they open this database and the keys of ${tried} members, the oldest and the newest`);
  }
  const detail = `they open this database, but not the keys of ${unopened} of ${tried} members`;
  return failed(keysName, { detail, remedy: keysRemedy });
}

async function examineKeys(
  database: Database,
  installation: InspectedInstallation | null,
  keyring: Keyring,
): Promise<Examined<InstallationKeys>> {
  if (installation === null) return { findings: [skipped(keysName, fresh)], value: null };
  const sampled = await sampleMemberKeys(database, new MemberKeys(keyring, new SystemRandom()));
  const { keys } = installation;
  return { findings: [judgeKeys(keys !== null, sampled)], value: keys };
}

async function examineInstallation(
  database: Database,
  environment: Pick<Environment, 'wallet'>,
  encryptionKeys: readonly Uint8Array[],
): Promise<Examined<InstallationKeys>> {
  const keyring = new Keyring(encryptionKeys);
  const installation = await inspectInstallation(database, keyring);
  const { findings, value } = await examineKeys(database, installation, keyring);
  const partner = judgePartner(installation?.partner ?? null, environment.wallet);
  return { findings: [partner, ...findings], value };
}

/** Whose database it is, and whether our keys open it. Builds on its keys. */
export function checkInstallation(
  examination: Examination,
  store: Step<Store>,
  {
    environment,
    encryptionKeys,
  }: {
    readonly environment: Pick<Environment, 'wallet'>;
    readonly encryptionKeys: readonly Uint8Array[] | null;
  },
): Step<InstallationKeys> {
  const plan = { name: keysName, timeoutMs: concludeMs, remedy: slowRemedy };
  return examination.after(store, plan, async ({ database }) => {
    if (encryptionKeys !== null) return examineInstallation(database, environment, encryptionKeys);
    const detail = 'no usable LOYALTYD_ENCRYPTION_KEY is configured';
    return { findings: [warning(keysName, { detail, remedy: keysRemedy })], value: null };
  });
}

const recoveryName = 'installation.recovery';

/** Whether a restore has left something that nobody has decided yet. */
export function judgeRecovery(recovery: RecoveryStatus | null): Finding {
  if (recovery === null) return ok(recoveryName, 'the database was never restored, as far as we were told');
  const { open, undecided } = recovery;
  const [from, since] = [recovery.recoveredFrom, recovery.startedAt].map((time) => new Date(time).toISOString());
  const text = `restored to ${from}, at work again since ${since}`;
  if (open + undecided === 0) return ok(recoveryName, `${text}; nothing of what was forgotten is in doubt so far`);
  const detail = `${text}; ${undecided} intents may have been sent before and wait for a person, of ${open} evidence is looked for`;
  const remedy =
    'Look at the partner, then say what became of each: `loyaltyd get intents --query "status=parked reason=unknown-outcome"`, ' +
    '`loyaltyd resolve intent ID --as delivered|not-delivered`. docs/restore.md has the steps.';
  return warning(recoveryName, { detail, remedy });
}

/** The last restore that was reported by `start --recovered-from`. */
export function checkRecovery(examination: Examination, store: Step<Store>): void {
  examination.after(store, { name: recoveryName, timeoutMs: readMs, remedy: slowRemedy }, async ({ database }) => ({
    findings: [judgeRecovery(await findRecovery(database))],
    value: null,
  }));
}
