import type { RouteRecord, UnpackBatch } from '#intents';

/** Taking in a record outside of ingest. */
export abstract class Intake {
  /** Reads the programs file in force at each call. */
  abstract readonly route: RouteRecord;
  /** Takes stored record batches apart, up to what one may grow to in this process. */
  abstract readonly unpack: UnpackBatch;
  /** Whether dead letters are published of what is set aside. */
  abstract readonly hasDeadLetters: boolean;
}
