export const dayMs = 86_400_000;

/** How long what is kept; days, 0: for ever. */
export interface RetentionPolicy {
  /** Delivered and cancelled intents, since the last that happened to them. */
  readonly intentDays: number;
  /** Identities of events and business keys of which no intent is left. */
  readonly dedupDays: number;
  /** Records set aside, since somebody has dealt with them. */
  readonly quarantineDays: number;
  /** Jobs and replays, since they were over. */
  readonly jobDays: number;
  /** False: no dead letter is published any more; one that waits in vain leaves with its record. */
  readonly hasDeadLetters: boolean;
  /** Where files of what leaves are written; null only where no intent leaves. */
  readonly archiveFolder: string | null;
}

/** What a run came to. */
export interface RetentionReport {
  readonly intents: number;
  readonly facts: number;
  readonly files: readonly string[];
  /** Lanes left for another run: leased, or moved on meanwhile. */
  readonly lanesBusy: number;
  /** Lanes whose truth does not add up to their row: nothing of them leaves. Must be 0. */
  readonly lanesDiffering: number;
  /** Lanes that stay as they were because letting something leave them failed. Must be 0. */
  readonly lanesFailed: number;
  /** What the first of them failed with. */
  readonly failure: string | null;
  readonly identities: number;
  readonly quarantined: number;
  readonly jobs: number;
  readonly replays: number;
  /** Partitions that were dropped, or written anew without what has left. */
  readonly partitions: readonly string[];
  /** Why no intent left, or no further one; null: the policy was carried out. */
  readonly heldBy: string | null;
}

export const nothingRetained: RetentionReport = {
  intents: 0,
  facts: 0,
  files: [],
  lanesBusy: 0,
  lanesDiffering: 0,
  lanesFailed: 0,
  failure: null,
  identities: 0,
  quarantined: 0,
  jobs: 0,
  replays: 0,
  partitions: [],
  heldBy: null,
};
