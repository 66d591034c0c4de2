/** A process is written down as alive so often. */
export const processSignMs = 5_000;
/** One that has given no sign for so long counts as gone. */
export const processGoneMs = 3 * processSignMs;
/** Rows of processes that never left are deleted after this time. */
export const processKeptMs = 3_600_000;
/** Processes that are told. */
export const processesMax = 500;

/** What a process says of itself. */
export interface ProcessSign {
  readonly processId: string;
  /** The machine's name, or the pod's. */
  readonly host: string;
  readonly roles: readonly string[];
  /** Names the content of its programs file. */
  readonly programsHash: Uint8Array;
  /** Epoch ms. */
  readonly startedAt: number;
}
