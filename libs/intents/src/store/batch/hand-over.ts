import type { SqlSession } from '#platform';
import { DatabaseError } from '#platform';

import type { RecordedLanes, RecordedRequest } from '../lanes/claim-lanes.js';
import { claimRecorded } from '../lanes/claim-lanes.js';
import type { PlacedIntent } from './place-intents.js';
import { BatchRaceError, PartRefusedError } from './recording.js';

/** Whoever sends what is recorded in the same process: it may take lanes over before anybody has looked for them. */
export interface HandOver {
  /** Asked just before the commit. @returns null: it has no room now, or others go first */
  offer: (program: string, lanes: number) => HandOverOffer | null;
}

/** Room for some lanes of a program. One of the three is called, once. */
export interface HandOverOffer {
  readonly request: RecordedRequest;
  /** They are leased, and their first attempts have begun. */
  committed: (lanes: RecordedLanes) => void;
  /** Nothing has been leased. */
  refused: () => void;
  /** The commit was not answered: they may be leased. */
  unanswered: () => void;
}

/** Whether the database has said so. Whatever else went wrong may have done so behind the commit. */
const isRolledBack = (error: unknown): boolean =>
  error instanceof BatchRaceError ||
  error instanceof PartRefusedError ||
  (error instanceof DatabaseError && error.sqlState !== null && error.kind !== 'unavailable');

/** What one transaction of recording hands over. */
export class Handing {
  private offer: HandOverOffer | null = null;
  private lanes: RecordedLanes | null = null;

  constructor(private readonly to: HandOver | null) {}

  /** The transaction begins anew: what it did before was rolled back. */
  begin(): void {
    this.offer?.refused();
    this.offer = null;
    this.lanes = null;
  }

  /**
   * Called when all else of the transaction has been. Of one program alone, which is that of the first intent: hardly ever does a small
   * chunk hold others.
   * @returns the statement that leases them; null: there is nothing to lease
   */
  lease(session: SqlSession, placed: readonly PlacedIntent[]): Promise<void> | null {
    const program = placed[0]?.intent.program;
    if (this.to === null || program === undefined) return null;
    const laneIds = [...new Set(placed.flatMap((one) => (one.intent.program === program ? [one.laneId] : [])))];
    this.offer = this.to.offer(program, laneIds.length);
    if (this.offer === null) return null;
    return claimRecorded(session, laneIds, this.offer.request).then((lanes) => {
      this.lanes = lanes;
    });
  }

  /** @returns how many lanes are taken care of */
  committed(): number {
    const { offer, lanes } = this;
    if (offer === null) return 0;
    if (lanes === null) {
      offer.refused();
      return 0;
    }
    offer.committed(lanes);
    return new Set(lanes.rows.map(({ lane_id: laneId }) => laneId)).size;
  }

  failed(error: unknown): void {
    if (isRolledBack(error)) this.offer?.refused();
    else this.offer?.unanswered();
  }
}
