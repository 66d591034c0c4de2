import type {
  DoctorReport,
  OidcEnvironment,
  OperationsEnvironment,
  OperatorToken,
  ProgramsFile,
  TopicNames,
} from '#contracts';
import type { DialectRegistry, Partner } from '#gateway';
import type { IngestKeys, MemberKeys, RouteRecord, UnpackBatch } from '#intents';
import type { Clock, Database, Random } from '#platform';

import type { LoginLinks } from './console/login-links.js';
import type { ProgramsControl } from './reload/programs-control.js';
import type { JobItemState } from './jobs/job-items.js';

/** Injection token of what the operations API needs from its process. */
export const API_SETTINGS = Symbol('ApiSettings');

/** Taking in a record outside of ingest. */
export interface Intake {
  readonly keys: IngestKeys;
  /** Reads the programs file in force at each call. */
  readonly route: RouteRecord;
  /** Takes stored record batches apart, up to what one may grow to in this process. */
  readonly unpack: UnpackBatch;
  /** Whether dead letters are published of what is set aside. */
  readonly hasDeadLetters: boolean;
}

/** Who may use the operations port, whatever the roles of the process. */
export interface AccessSettings {
  /** In force now. */
  readonly tokens: () => readonly OperatorToken[];
  /** Null: only `tokens` let anybody in. */
  readonly oidc: OidcEnvironment | null;
  /** Nobody may change anything. */
  readonly isReadOnly: boolean;
  /** Who may read metrics: anybody, whoever has a token, nobody. */
  readonly metrics: OperationsEnvironment['metrics'];
  /** Proxies that are believed whose requests they pass on. */
  readonly trustedProxies: readonly string[];
  readonly clock: Clock;
}

/** The web console, as this process serves it. */
interface ConsoleSettings {
  /** Of the build: `index.html` and `assets/`. It need not be there. */
  readonly folder: string;
  /** Below which path browsers reach it: `/`, or a path without a slash at its end. */
  readonly basePath: string;
  /** Of the product. */
  readonly version: string;
  /** Null: there are none. */
  readonly loginLinks: LoginLinks | null;
  /** Told once that somebody has asked for a console that is not there. */
  readonly onAbsent: () => void;
}

export interface ApiSettings extends AccessSettings {
  /** Null in a process that knows no Kafka: the default names are told. */
  readonly topics: TopicNames | null;
  /** In force now. */
  readonly programs: () => ProgramsFile;
  /** How requests to the partner would be written. */
  readonly dialects: DialectRegistry;
  readonly random: Random;
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly quarantineKey: Uint8Array;
  /** How a record that was set aside is taken in after all: as ingest takes it. */
  readonly intake: Intake;
  /** Somebody may have changed something: what was asked for may begin. */
  readonly onDeed: () => void;
  /** Told of items of jobs that have come to an end, for metrics. */
  readonly onJobItems?: (state: JobItemState, count: number) => void;
  /** Has the programs file read again. */
  readonly programsControl: ProgramsControl;
  /** Null in a process that knows no partner: nobody can be asked about a member. */
  readonly partner: {
    readonly calls: Pick<Partner, 'findPass' | 'countPasses' | 'listPasses'>;
    readonly timeoutMs: number;
  } | null;
  readonly console: ConsoleSettings;
  /** Looks at everything that this process depends on. */
  readonly examine: () => Promise<DoctorReport>;
}
