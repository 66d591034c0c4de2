import type { ProgramsFile } from '#contracts';
import type { DialectRegistry, Partner } from '#gateway';
import type { MemberKeys } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';

/** What a process with a partner gives jobs that ask it. */
export abstract class PartnerJobTools {
  abstract readonly database: Database;
  abstract readonly clock: Clock;
  abstract readonly random: Random;
  abstract readonly logger: Logger;
  abstract readonly keys: MemberKeys;
  /** Keys the digests. */
  abstract readonly mac: Uint8Array;
  /** In force now. */
  abstract readonly programs: () => ProgramsFile;
  /** How requests to the partner are written, for a plan. */
  abstract readonly dialects: DialectRegistry;
  abstract readonly partner: Partner;
  /** Of one call, token included, milliseconds. */
  abstract readonly timeoutMs: number;
  /** A keyed digest: refusals that mean the same have the same. */
  abstract readonly fingerprint: (text: string) => string;
}
