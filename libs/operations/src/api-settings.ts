import type { OidcEnvironment, OperatorToken, ProgramsFile, TopicNames } from '#contracts';
import type { DialectBook } from '#gateway';
import type { MemberKeys, ReplayTools } from '#intents';
import type { Clock, Database, Random } from '#platform';

/** Injection token of what the operations API needs from its process. */
export const API_SETTINGS = Symbol('ApiSettings');

export interface ApiSettings {
  readonly tokens: readonly OperatorToken[];
  /** Null: only `tokens` let anybody in. */
  readonly oidc: OidcEnvironment | null;
  /** Nobody may change anything. */
  readonly isReadOnly: boolean;
  /** Null in a process that knows no Kafka: the default names are told. */
  readonly topics: TopicNames | null;
  /** In force now. */
  readonly programs: () => ProgramsFile;
  /** How requests to the partner would be written. */
  readonly dialects: DialectBook;
  readonly clock: Clock;
  readonly random: Random;
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly quarantineKey: Uint8Array;
  /** Told of items of replays that have come to an end, for metrics. */
  readonly onReplayItems?: NonNullable<ReplayTools['onReplayItems']>;
}
