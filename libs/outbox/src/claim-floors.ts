import type { Clock } from '#platform';

/**
 * Lanes may become due a little earlier than the lanes of the last claim: clocks of other processes differ, and commits
 * take time. A lane beyond this margin is found by the next full scan.
 */
export const claimFloorMarginMs = 2_000;
/** How often a claim scans all due lanes. */
export const fullScanMs = 10_000;

interface ScanProgress {
  /** All lanes due before this time have been claimed; epoch ms. */
  readonly upTo: number;
  /** When all due lanes were last scanned, on the monotonic clock. */
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
 * Where each program's next claim starts its index scan. Lanes are claimed in due order, so hardly any is left before
 * the first lane of the last claim. Dead index entries are left there while any transaction may still see them, and a
 * claim that walks over all of them takes longer the more was delivered.
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
