/** What one answer of a broker is taken apart into; what is left of it is fetched again. */
export interface AnswerLimits {
  /** Of records. */
  readonly bytesMax: number;
  /** Tiny records weigh far more than their bytes once they are taken apart. */
  readonly recordsMax: number;
}

const answerLimits: AnswerLimits = { bytesMax: 16 * 1024 * 1024, recordsMax: 50_000 };

/** What one answer of a broker may still grow to in memory, over all of its partitions. */
export class AnswerBudget {
  private bytesLeft: number;
  private recordsLeft: number;
  private workLeft: number;

  /** @param batchBytesMax what one record batch may grow to; an answer's batches together are begun up to it */
  constructor(
    readonly batchBytesMax: number,
    { bytesMax, recordsMax }: AnswerLimits = answerLimits,
  ) {
    this.bytesLeft = bytesMax;
    this.recordsLeft = recordsMax;
    this.workLeft = batchBytesMax;
  }

  get isUsedUp(): boolean {
    return this.workLeft <= 0 || !this.hasRoom;
  }

  get hasRoom(): boolean {
    return this.bytesLeft > 0 && this.recordsLeft > 0;
  }

  decompressed(bytes: number): void {
    this.workLeft -= bytes;
  }

  taken(bytes: number): void {
    this.bytesLeft -= bytes;
    this.recordsLeft -= 1;
  }
}
