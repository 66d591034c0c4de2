/** What the stub has seen; it applies every transaction that is the next of its member. */
export interface StubCounts {
  readonly applied: number;
  readonly duplicates: number;
  readonly outOfOrder: number;
  readonly unreadable: number;
}

const tokenAnswer = JSON.stringify({ access_token: 'bench-token', expires_in: 3600, token_type: 'Bearer' });
const memberPattern = /unique_id=([^& ]+)/;
const receiptPattern = /"receipt":"(\d+)-(\d+)"/;

/**
 * Answers as the partner's documentation shows (partner-api.md sections 4.7 and 5), at once. Receipts are
 * `member-rank` with ranks from 1: so it sees what is out of order or came twice.
 */
export class StubAnswers {
  private readonly lastRanks = new Map<string, number>();
  private applied = 0;
  private duplicates = 0;
  private outOfOrder = 0;
  private unreadable = 0;

  reset(): void {
    this.lastRanks.clear();
    this.applied = this.duplicates = this.outOfOrder = this.unreadable = 0;
  }

  counts(): StubCounts {
    const { applied, duplicates, outOfOrder, unreadable } = this;
    return { applied, duplicates, outOfOrder, unreadable };
  }

  /** JSON text for one request, given by its first line and its body. */
  answer(requestLine: string, body: string): string {
    return requestLine.startsWith('POST /oauth2/token') ? tokenAnswer : this.transaction(requestLine, body);
  }

  private transaction(requestLine: string, body: string): string {
    const member = memberPattern.exec(requestLine)?.[1];
    const rank = Number(receiptPattern.exec(body)?.[2]);
    if (member === undefined || Number.isNaN(rank)) this.unreadable += 1;
    else this.count(member, rank);
    const id = this.applied;
    return `{"transactionId":${id},"transactionTypeId":31,"amount":59.99,"transactionDate":"2026-11-21T09:15:04.000Z"}`;
  }

  private count(member: string, rank: number): void {
    const last = this.lastRanks.get(member) ?? 0;
    if (rank <= last) this.duplicates += 1;
    else if (rank > last + 1) this.outOfOrder += 1;
    else this.applied += 1;
    this.lastRanks.set(member, Math.max(last, rank));
  }
}
