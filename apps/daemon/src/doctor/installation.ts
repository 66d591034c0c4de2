import type { Ownership, PartnerIdentity, SampledKeys } from '#intents';
import { fenceText, findOwnership, holds, inspectInstallation, MemberKeys, sampleMemberKeys } from '#intents';
import { Keyring, SystemRandom } from '#platform';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { failed, ok, skipped, warning } from './finding.js';

const partnerName = 'installation.partner';
const keysName = 'installation.keys';
const ownershipName = 'installation.ownership';

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

/** Whether it may record and send. */
export function judgeOwnership(ownership: Ownership | null): Finding {
  if (ownership === null) return skipped(ownershipName, fresh);
  const { epoch, here } = ownership;
  if (holds(ownership)) return ok(ownershipName, `epoch ${epoch}, given to ${here}: it records and sends`);
  const remedy =
    'Is DATABASE_URL that of a copy? Only where this one shall send, and no other does: docs/operations/backup.md, A copy of the database.';
  return failed(ownershipName, { detail: fenceText(ownership), remedy });
}

export const checkOwnership = async ({ store }: Given<'store'>): Promise<readonly Finding[]> => [
  judgeOwnership(await findOwnership(store.database)),
];

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

/** Whose database it is, and whether our keys open it. */
export async function checkInstallation({
  environment: { wallet },
  store,
  masterKeys,
  opened,
}: Given<'store' | 'masterKeys'>): Promise<readonly Finding[]> {
  const { database } = store;
  if (masterKeys === null) {
    return [warning(keysName, { detail: 'no usable LOYALTYD_ENCRYPTION_KEY is configured', remedy: keysRemedy })];
  }
  const keyring = new Keyring(masterKeys);
  const installation = await inspectInstallation(database, keyring);
  const partner = judgePartner(installation?.partner ?? null, wallet);
  if (installation === null) return [partner, skipped(keysName, fresh)];
  const sampled = await sampleMemberKeys(database, new MemberKeys(keyring, new SystemRandom()));
  if (installation.keys !== null) opened.keys = installation.keys;
  return [partner, judgeKeys(installation.keys !== null, sampled)];
}
