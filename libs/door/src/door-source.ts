import type { Hook } from '#contracts';

/** A source as the door writes to it. */
export interface DoorSource {
  readonly name: string;
  /** Where its records go; null: none of its topics is called by its name. */
  readonly topic: string | null;
  /** Its records are CloudEvents. */
  readonly isCloudEvents: boolean;
  /** What it may say. */
  readonly types: readonly string[];
  /** For which programs it may speak; null: all. */
  readonly programs: readonly string[] | null;
  /** JSONata that makes the key of a record; null: an event's member, else its receipt. */
  readonly key: string | null;
  /** Null: it takes no webhooks. */
  readonly hook: Hook | null;
}

/** The sources of the programs file in force. */
export abstract class DoorSources {
  /** The same array for as long as nothing has changed. */
  abstract current(): readonly DoorSource[];
}
