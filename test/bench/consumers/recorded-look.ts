/** What Postgres told at one moment. */
export interface RecordedLook {
  /** By the machine's clock. */
  readonly at: number;
  /** Of each partition, the first offset that is not recorded: the transaction that writes the rows moves it. */
  readonly nextOffsets: readonly number[];
}

/** Where an event lies. */
export interface EventPlace {
  readonly partition: number;
  readonly offset: number;
}

const isRecorded = ({ nextOffsets }: RecordedLook, { partition, offset }: EventPlace): boolean =>
  (nextOffsets[partition] ?? 0) > offset;

/** When an event was first seen to be recorded; NaN where it has not been. */
export const recordedAt = (looks: readonly RecordedLook[], place: EventPlace): number => {
  // Offsets never go back, and there are many looks: by halves.
  let [low, high] = [0, looks.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const look = looks[middle];
    if (look !== undefined && isRecorded(look, place)) high = middle;
    else low = middle + 1;
  }
  return looks[low]?.at ?? NaN;
};
