import type { DoctorReport, OperatorToken, TopicNames } from '#contracts';
import type { MemberKeys } from '#intents';
import type { Clock, Database, Random } from '#platform';

import type { ProgramsControl } from './reload/programs-control.js';

/** Injection token of what the operations API needs from its process. */
export const API_SETTINGS = Symbol('ApiSettings');

export interface ApiSettings {
  readonly tokens: readonly OperatorToken[];
  /** Nobody may change anything. */
  readonly isReadOnly: boolean;
  /** Null in a process that knows no Kafka: the default names are told. */
  readonly topics: TopicNames | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly quarantineKey: Uint8Array;
  readonly programs: ProgramsControl;
  /** Looks at everything that this process depends on. */
  readonly examine: () => Promise<DoctorReport>;
}
