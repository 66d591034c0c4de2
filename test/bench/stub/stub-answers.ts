/** What the stub has seen; it applies every transaction that it has not seen yet. */
export interface StubCounts {
  /** Came as the next of their member. */
  readonly applied: number;
  readonly duplicates: number;
  /** Came before an earlier one of their member, and only once. */
  readonly outOfOrder: number;
  readonly unreadable: number;
}

/** A receipt, and when its call had been read, by the machine's clock in milliseconds. */
export type Arrival = readonly [receipt: string, at: number];

interface Seen {
  /** All ranks below it have come. */
  next: number;
  /** Ranks beyond `next` that have come; made when the first one does. */
  ahead: Set<number> | null;
}

const tokenAnswer = JSON.stringify({ access_token: 'bench-token', expires_in: 3600, token_type: 'Bearer' });
const memberPattern = /unique_id=([^& ]+)/;
const receiptPattern = /"receipt":"(\d+)-(\d+)"/;

/**
 * Answers as the partner's documentation shows (partner-api.md sections 4.7 and 5), at once. Receipts are
 * `member-rank` with ranks from 1: so it sees what is out of order or came twice.
 */
export class StubAnswers {
  private readonly seen = new Map<string, Seen>();
  private arrivals: Arrival[] = [];
  private applied = 0;
  private duplicates = 0;
  private outOfOrder = 0;
  private unreadable = 0;

  /** @param clock null: when calls came is not noted */
  constructor(private readonly clock: (() => number) | null = null) {}

  reset(): void {
    this.arrivals = [];
    this.seen.clear();
    this.applied = this.duplicates = this.outOfOrder = this.unreadable = 0;
  }

  counts(): StubCounts {
    const { applied, duplicates, outOfOrder, unreadable } = this;
    return { applied, duplicates, outOfOrder, unreadable };
  }

  /** Those since the last call of this. */
  takeArrivals(): Arrival[] {
    const taken = this.arrivals;
    this.arrivals = [];
    return taken;
  }

  /** JSON text for one request, given by its first line and its body. */
  answer(requestLine: string, body: string): string {
    return requestLine.startsWith('POST /oauth2/token') ? tokenAnswer : this.transaction(requestLine, body);
  }

  private transaction(requestLine: string, body: string): string {
    const member = memberPattern.exec(requestLine)?.[1];
    const receipt = receiptPattern.exec(body);
    const rank = Number(receipt?.[2]);
    if (this.clock !== null) this.arrivals.push([`${receipt?.[1] ?? ''}-${rank}`, this.clock()]);
    if (member === undefined || Number.isNaN(rank)) this.unreadable += 1;
    else this.count(member, rank);
    const id = this.applied;
    return `{"transactionId":${id},"transactionTypeId":31,"amount":59.99,"transactionDate":"2026-11-21T09:15:04.000Z"}`;
  }

  private count(member: string, rank: number): void {
    const seen = this.seen.get(member) ?? { next: 1, ahead: null };
    this.seen.set(member, seen);
    if (rank < seen.next || seen.ahead?.has(rank) === true) this.duplicates += 1;
    else this.apply(seen, rank);
  }

  private apply(seen: Seen, rank: number): void {
    if (rank > seen.next) {
      this.outOfOrder += 1;
      seen.ahead = (seen.ahead ?? new Set()).add(rank);
      return;
    }
    this.applied += 1;
    seen.next += 1;
    while (seen.ahead?.delete(seen.next) === true) seen.next += 1;
  }
}
