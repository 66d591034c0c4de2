import type { ProgramsFile } from '#contracts';
import type { Administration, DialectRegistry } from '#gateway';
import type { Clock, Database, Logger, Random } from '#platform';

/** What provisioning works with. */
export interface ProvisioningTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly partner: Administration;
  /** How requests to the partner are written, for a plan. */
  readonly dialects: DialectRegistry;
  /** In force now. */
  readonly programs: () => ProgramsFile;
  /** A keyed digest: refusals that mean the same have the same. */
  readonly fingerprint: (text: string) => string;
  /** Of one call, token included. */
  readonly timeoutMs: number;
}
