import type { CallKey, ListedCall } from './partner-list.js';

/** A call of ours that has taken effect, or may have. */
export interface SentCall extends CallKey {
  readonly intent: string;
  readonly member: string;
  /** When its attempts were begun, epoch ms; null: none is known. */
  readonly firstSentAt: number | null;
  readonly lastSentAt: number | null;
  /** Other calls that are as like it may have left, or cannot be opened: none is told from it. */
  readonly isUncertain?: boolean;
}

/** What the list has all of. */
export interface Completeness {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly types: readonly string[];
}

export type ListVerdict =
  { readonly kind: 'listed' | 'not-listed' | 'ambiguous' } | { readonly kind: 'unproven'; readonly because: string };

/** How far the partner's clock may be from ours. */
export const clocksApartMsMax = 60_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

const keyOf = ({ type, receipt, amount, member }: CallKey & Pick<SentCall, 'member'>): string =>
  JSON.stringify(receipt === null ? [type, member] : [type, receipt, amount]);

/** Rows and calls that may be of one another: by receipt, amount and type; without a receipt by member and type. */
class PartnerList {
  private readonly byIntent: ReadonlyMap<string, readonly ListedCall[]>;
  private readonly byReceipt: ReadonlyMap<string | null, readonly ListedCall[]>;
  private readonly byMember: ReadonlyMap<string | null, readonly ListedCall[]>;

  constructor(
    rows: readonly ListedCall[],
    private readonly inFlightMs: number,
  ) {
    this.byIntent = Map.groupBy(
      rows.filter(({ intent }) => intent !== null),
      ({ intent }) => intent ?? '',
    );
    const others = rows.filter(({ intent }) => intent === null);
    this.byReceipt = Map.groupBy(others, ({ receipt }) => receipt);
    this.byMember = Map.groupBy(others, ({ member }) => member);
  }

  /** Null where it is not named by its own id. */
  ownVerdict(call: SentCall): ListVerdict | null {
    const rows = this.byIntent.get(call.intent);
    if (rows === undefined) return null;
    return { kind: rows.every((row) => agrees(row, call)) ? 'listed' : 'ambiguous' };
  }

  rowsOf(call: SentCall): readonly ListedCall[] {
    const { receipt, member } = call;
    const near = receipt === null ? this.byMember.get(member) : this.byReceipt.get(receipt);
    return (near ?? []).filter((row) => isSame(row, call));
  }

  /** When it may have taken effect by the partner's clock; null: at any time. */
  spanOf({ firstSentAt, lastSentAt }: SentCall): Span | null {
    if (firstSentAt === null || lastSentAt === null) return null;
    return { from: firstSentAt - clocksApartMsMax, to: lastSentAt + this.inFlightMs + clocksApartMsMax };
  }

  /** What a receipt tells apart needs no time. */
  isInTime({ at }: ListedCall, call: SentCall): boolean {
    const span = this.spanOf(call);
    return call.receipt !== null || at === null || span === null || (at >= span.from && at <= span.to);
  }
}

/** What a row says besides is the same; what it does not say does not matter. */
function agrees(row: ListedCall, call: SentCall): boolean {
  const parts = ['member', 'type', 'receipt', 'amount'] as const;
  return parts.every((part) => row[part] === null || row[part] === call[part]);
}

/** What tells it apart is all there: receipt, amount and type, or member and type. */
function isSame(row: ListedCall, call: SentCall): boolean {
  const hasAmount = call.amount === null || row.amount !== null;
  return row.type !== null && hasAmount && agrees(row, call);
}

/** Pure: what the partner's list says of calls of ours. */
export class ListMatch {
  private readonly list: PartnerList;
  /** All that may be behind a row, by what it is known by. */
  private readonly claimants: ReadonlyMap<string, readonly SentCall[]>;

  /** @param known all calls of ours that rows may be of: those in doubt, and whatever else was sent that is as like them */
  constructor(rows: readonly ListedCall[], known: readonly SentCall[], inFlightMs: number) {
    this.list = new PartnerList(rows, inFlightMs);
    this.claimants = Map.groupBy(known, keyOf);
  }

  /** `unproven`: it is not there, which by itself proves nothing. */
  presence(call: SentCall): 'listed' | 'ambiguous' | 'absent' {
    const own = this.list.ownVerdict(call);
    if (own !== null) return own.kind === 'listed' ? 'listed' : 'ambiguous';
    const all = this.list.rowsOf(call);
    if (all.length === 0) return 'absent';
    if (call.isUncertain === true) return 'ambiguous';
    const rows = all.filter((row) => this.list.isInTime(row, call));
    const claimants = this.claimantsOf(call);
    const isTimed = call.receipt === null && all.every(({ at }) => at !== null);
    const rivals = isTimed ? claimants.filter((other) => this.overlaps(call, other)) : claimants;
    if (rows.length > 0) return rows.length >= rivals.length ? 'listed' : 'ambiguous';
    // Rows of another time are of other calls, as far as there are so many.
    return all.length <= claimants.length - rivals.length ? 'absent' : 'ambiguous';
  }

  private claimantsOf(call: SentCall): readonly SentCall[] {
    return (this.claimants.get(keyOf(call)) ?? [call]).filter((other) => this.list.ownVerdict(other) === null);
  }

  private overlaps(one: SentCall, other: SentCall): boolean {
    const [here, there] = [this.list.spanOf(one), this.list.spanOf(other)];
    return here === null || there === null || (here.from <= there.to && there.from <= here.to);
  }
}

/** Whether whatever took effect of a call did so wholly within that time. */
export function isWithin({ firstSentAt, lastSentAt }: SentCall, { from, to }: Span, inFlightMs: number): boolean {
  return firstSentAt !== null && lastSentAt !== null && firstSentAt >= from && lastSentAt + inFlightMs <= to;
}

interface AbsenceOf {
  /** Null: nothing is said of what the list has all of. */
  readonly complete: Completeness | null;
  /** Why the list is not taken at its word, for all; null: it is. */
  readonly doubt: string | null;
  readonly inFlightMs: number;
}

/** Pure: absence proves something only within what the list has all of. */
export function verdictOf(match: ListMatch, call: SentCall, { complete, doubt, inFlightMs }: AbsenceOf): ListVerdict {
  const presence = match.presence(call);
  if (presence !== 'absent') return { kind: presence };
  if (complete === null) return { kind: 'unproven', because: 'the list does not say of what it has all' };
  if (!complete.types.includes(call.type)) return { kind: 'unproven', because: 'of another type than the list has' };
  if (!isWithin(call, complete, inFlightMs)) {
    return { kind: 'unproven', because: 'not sent within the time of the list' };
  }
  return doubt === null ? { kind: 'not-listed' } : { kind: 'unproven', because: doubt };
}
