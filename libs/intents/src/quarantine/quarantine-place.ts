/** Where a record set aside stands among the others: by topic and partition, within them as they were recorded. */
export interface QuarantinePlace {
  readonly topic: string;
  readonly partition: number;
  /** Rises with the offset, also beyond a topic that was created anew and counts its offsets from 0 again. */
  readonly quarantineId: number;
}

/** Before all others. */
export const firstPlace: QuarantinePlace = { topic: '', partition: -1, quarantineId: 0 };
