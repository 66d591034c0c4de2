import type { Clock } from '#platform';

/**
 * Lanes may become due a little earlier than what was claimed before: other processes' clocks differ, and commits take their
 * time. Nothing is lost beyond it: the next full look finds it.
 */
export const claimFloorMarginMs = 2_000;
/** How often everything that is due is looked at. */
export const fullScanMs = 10_000;

interface ScanProgress {
  /** Up to here everything was taken; epoch ms. */
  readonly upTo: number;
  /** When everything was last looked at, on the monotonic clock. */
  readonly fullAt: number;
}

/** One claim's part of the lanes that are due. */
interface ClaimRange {
  readonly now: number;
  readonly at: number;
  /** Null: all of them. */
  readonly floor: number | null;
}

/**
 * Where each program's next claim begins to look. Lanes are claimed in the order in which they became due, so that hardly any
 * is left before the last claim's first one, but index entries of what has been claimed are, as long as any transaction is
 * open that might see it: a claim that walks them all takes the longer the more was delivered since.
 */
export class ClaimFloors {
  private readonly scans = new Map<string, ScanProgress>();

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

  next(program: string): ClaimRange {
    const now = this.clock.now();
    const at = this.clock.monotonic();
    const scan = this.scans.get(program);
    if (scan === undefined || at >= scan.fullAt + fullScanMs || scan.upTo > now) return { now, at, floor: null };
    return { now, at, floor: scan.upTo - claimFloorMarginMs };
  }

  /** @param firstDueAt when the first lane that was claimed was due; null: there was none */
  claimed(program: string, { now, at, floor }: ClaimRange, firstDueAt: number | null): void {
    const last = this.scans.get(program);
    if (floor === null || last === undefined) this.scans.set(program, { upTo: firstDueAt ?? now, fullAt: at });
    else this.scans.set(program, { upTo: firstDueAt ?? last.upTo, fullAt: last.fullAt });
  }
}
