/** How often each process reports. */
export const processReportMs = 2_000;
/** A process that has not reported for so long is taken for gone. */
export const processTtlMs = 10_000;
/** Rows of processes that never left are deleted after this time: until then one can see that they went. */
export const processKeptMs = 600_000;
/** Processes read at once: far more than one database carries. */
export const processesMax = 1_000;

/** Which programs file a process works by. */
export interface ProgramsInForce {
  /** Hex of the file's hash. */
  readonly hash: string;
  /** Epoch ms. */
  readonly since: number;
}

/** What one process says of itself. Times in epoch ms. */
export interface ProcessReport {
  readonly processId: string;
  /** The machine's or pod's name. */
  readonly host: string;
  readonly roles: readonly string[];
  readonly startedAt: number;
  readonly programs: ProgramsInForce;
  /** The master keys that it knows, as a keyring names them; empty where the process is too old to say. */
  readonly keyIds: readonly string[];
  /** Why the file that it read last was not taken over; null when it was. */
  readonly programsProblem: string | null;
}

/** A process as it last reported. */
export interface ListedProcess extends ProcessReport {
  readonly heartbeatAt: number;
  readonly isAlive: boolean;
}
