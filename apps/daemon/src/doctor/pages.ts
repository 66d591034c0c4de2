/**
 * Where more is said of a check, below `docs/`: of those whose name begins so, a longer beginning first. What an alert is
 * about leads to its runbook.
 */
export const pages: readonly (readonly [start: string, page: string])[] = [
  ['environment', 'configuration.md'],
  ['programs.dialect', 'partner-dialect.md'],
  ['programs.changes', 'operations/programs-file.md#changes-that-do-harm'],
  ['programs.work', 'operations/programs-file.md#what-was-recorded-before'],
  ['programs', 'operations/programs-file.md'],
  ['postgres.schema', 'upgrades.md#which-release-works-with-which-schema'],
  ['postgres.version', 'operations/install.md'],
  ['postgres.settings', 'scaling.md#postgres'],
  ['postgres.role', 'operations/database-roles.md'],
  ['postgres', 'runbooks/LoyaltydDatabaseAway.md'],
  ['clock', 'runbooks/LoyaltydClockJump.md'],
  ['installation.vault', 'operations/secrets.md#keys-that-only-vault-opens'],
  ['installation.ownership', 'operations/backup.md#a-copy-of-the-database'],
  ['installation', 'operations/secrets.md'],
  ['processes.programs', 'runbooks/LoyaltydProgramsDisagree.md'],
  ['processes', 'runbooks/LoyaltydRoleAbsent.md'],
  ['kafka.door', 'http-door.md#open-it'],
  ['kafka.registry', 'formats.md#the-schema-registry'],
  ['kafka.shards', 'runbooks/LoyaltydUnreadPartitions.md'],
  ['kafka.group', 'runbooks/LoyaltydConsumerLag.md'],
  ['kafka.lag', 'runbooks/LoyaltydConsumerLag.md'],
  ['kafka.gap', 'runbooks/LoyaltydSourceGap.md'],
  ['kafka.transaction', 'runbooks/LoyaltydOpenTransaction.md'],
  ['kafka.forgotten', 'restore.md'],
  ['kafka.topics', 'operations/provisioning.md'],
  ['kafka.retention', 'operations/provisioning.md'],
  ['kafka', 'operations/outages.md'],
  ['sources.registry', 'formats.md#the-schema-registry'],
  ['sources', 'sources.md'],
  ['partner.lookup', 'partner-dialect.md#lookup'],
  ['partner.token', 'partner-dialect.md#token'],
  ['partner', 'runbooks/LoyaltydBreakerOpen.md'],
  ['operations', 'operations/access.md'],
  ['notices', 'operations/notices.md'],
];

const otherwise = 'operations/doctor.md';

/** @param name of a check, such as `kafka.topics.loyalty.members` */
export function pageOf(name: string): string {
  return pages.find(([start]) => name === start || name.startsWith(`${start}.`))?.[1] ?? otherwise;
}
