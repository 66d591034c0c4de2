import { limitShare, sharePlace, TokenBucket } from '../limit-share.js';

const program = 'coffee-club';
/** How often a replica reports and learns its share. */
export const refreshMs = 500;
const diesAfterMs = 8_000;

interface Replica {
  readonly replicaId: string;
  readonly worksFrom: number;
  readonly diesAt: number;
  readonly bucket: TokenBucket;
  since: number | null;
  /** What its last report told of. */
  told: number | null;
  nextReportAt: number;
}

/** Replicas that share a rate, each by itself between two reports; all have endless work from some time on. */
export class ReplicaFleet {
  /** When tokens were taken, by all, in order. */
  readonly taken: number[] = [];
  private readonly replicas: Replica[];

  /** @param starts when each comes to work, ms; all but the first die some seconds later */
  constructor(
    private readonly rate: number,
    starts: readonly number[],
  ) {
    this.replicas = starts.map((worksFrom, index) => ({
      replicaId: `r${index}`,
      worksFrom,
      diesAt: index === 0 ? Infinity : worksFrom + diesAfterMs,
      bucket: new TokenBucket(0),
      since: null,
      told: null,
      nextReportAt: 1 + index * 37,
    }));
  }

  run(ms: number): this {
    for (let now = 1; now < ms; now += 1) {
      for (const replica of this.replicas) if (now < replica.diesAt) this.turn(replica, now);
    }
    return this;
  }

  private turn(self: Replica, now: number): void {
    const isAtWork = now >= self.worksFrom;
    const isNew = isAtWork && self.since === null;
    if (isNew) self.since = now;
    if (isNew || now >= self.nextReportAt) this.report(self, now);
    if (isAtWork) while (self.bucket.tryTake(now)) this.taken.push(now);
  }

  private report(self: Replica, now: number): void {
    self.nextReportAt = now + refreshMs;
    self.told = self.since;
    const others = this.replicas
      .filter((each) => each !== self && now < each.diesAt)
      .map(({ replicaId, told }) => ({ replicaId, programs: { [program]: told } }));
    const place = sharePlace(program, { replicaId: self.replicaId, since: self.told }, others);
    self.bucket.change(limitShare({ concurrency: null, requestsPerSecond: this.rate }, place).requestsPerSecond);
  }
}
