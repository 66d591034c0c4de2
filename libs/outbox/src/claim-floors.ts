import type { LaneFloors } from '#intents';
import type { Priority } from '#intents/core';
import { PRIORITIES } from '#intents/core';
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
  /** By priority; null: all of them. */
  readonly floors: LaneFloors;
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
    const floorOf = (priority: Priority): number | null => {
      const scan = this.scans.get(keyOf(program, priority));
      if (scan === undefined || at >= scan.fullAt + fullScanMs || scan.upTo > now) return null;
      return scan.upTo - claimFloorMarginMs;
    };
    return { now, at, floors: [floorOf(0), floorOf(1), floorOf(2)] };
  }

  /** @param firstDueAt by priority: when the first lane that was claimed was due; null: there was none; absent: nobody looked */
  claimed(program: string, { now, at, floors }: ClaimRange, firstDueAt: ReadonlyMap<Priority, number | null>): void {
    for (const [priority, first] of firstDueAt) {
      const key = keyOf(program, priority);
      const last = this.scans.get(key);
      if (floors[priority] === null || last === undefined) this.scans.set(key, { upTo: first ?? now, fullAt: at });
      else this.scans.set(key, { upTo: first ?? last.upTo, fullAt: last.fullAt });
    }
  }

  /** A look has found none due. */
  foundNone(program: string, range: ClaimRange): void {
    this.claimed(program, range, noneDue);
  }
}

const noneDue: ReadonlyMap<Priority, null> = new Map(PRIORITIES.map((priority) => [priority, null]));

const keyOf = (program: string, priority: Priority): string => `${priority} ${program}`;
