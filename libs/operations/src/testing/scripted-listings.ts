import type { WalletPass } from '#contracts';
import type { CountReport, ListingSummary, ListOptions, LookupReport, PassListing, PassPage, Partner } from '#gateway';
import type { Clock } from '#platform';

const evidence = { request: { method: 'GET', path: '', body: null }, response: null, durationMs: 1 };

/** A call that was made, in order. */
export interface ScriptedCall {
  readonly kind: 'page' | 'lookup' | 'count';
  readonly at: number;
  readonly what: number | string;
}

/** A partner that shows the passes it is given, and fails when the test says so. */
export class ScriptedListings implements Pick<Partner, 'listPasses' | 'findPass' | 'countPasses'> {
  /** In the order in which they are listed; a lookup finds the first of a member's. */
  passes: WalletPass[] = [];
  /** Found by a lookup, but not listed. */
  unlisted: WalletPass[] = [];
  readonly calls: ScriptedCall[] = [];
  /** Asked before every call; a page throws what it returns, a lookup reports it. */
  trouble: (
    call: ScriptedCall,
  ) => { readonly stage: 'answer' | 'exchange'; readonly code: string; readonly retryAfterMs: number | null } | null =
    () => null;

  constructor(
    private readonly clock: Clock,
    private readonly pageRows: number,
    private readonly errorOf: (failure: NonNullable<ReturnType<ScriptedListings['trouble']>>) => Error,
  ) {}

  /** What the last listing was asked for. */
  lastQuery: unknown = null;

  listPasses(query: unknown, options: ListOptions): PassListing {
    this.lastQuery = query;
    const open = {
      end: 'open',
      pages: 0,
      rows: 0,
      unreadableRows: 0,
      totalCount: null,
      agrees: null,
      shapeAlarms: [],
    } as const;
    let summary: ListingSummary = { ...open, nextPage: options.startPage ?? 1 };
    const turn = (): PassPage | null => {
      const pageNumber = summary.nextPage;
      const failure = this.called('page', pageNumber);
      if (failure !== null) throw this.errorOf(failure);
      const from = (pageNumber - 1) * this.pageRows;
      const passes = this.passes.slice(from, from + this.pageRows);
      if (passes.length === 0) return null;
      summary = { ...summary, pages: summary.pages + 1, rows: summary.rows + passes.length, nextPage: pageNumber + 1 };
      return { pageNumber, passes, totalCount: this.passes.length };
    };
    async function* pages(): AsyncGenerator<PassPage, void, undefined> {
      for (let page = turn(); page !== null; page = turn()) yield page;
    }
    return {
      pages,
      get summary() {
        return summary;
      },
      [Symbol.asyncIterator]: () => {
        throw new Error('page by page only');
      },
    };
  }

  async findPass({ uniqueId }: { readonly uniqueId: string }): Promise<LookupReport> {
    const failure = this.called('lookup', uniqueId);
    if (failure !== null) return { kind: 'failed', ...failure, evidence };
    const pass = [...this.passes, ...this.unlisted].find((each) => each.passdata?.metaData?.['memberId'] === uniqueId);
    if (pass?.isDead === true) return { kind: 'absent', isDead: true, evidence };
    return pass === undefined ? { kind: 'absent', evidence } : { kind: 'found', pass, shapeAlarms: [], evidence };
  }

  async countPasses({ uniqueId = '' }: { readonly uniqueId?: string }): Promise<CountReport> {
    const failure = this.called('count', uniqueId);
    if (failure !== null) return { kind: 'failed', ...failure, evidence };
    const all = [...this.passes, ...this.unlisted];
    const totalCount = all.filter((each) => each.passdata?.metaData?.['memberId'] === uniqueId).length;
    return { kind: 'counted', totalCount, shapeAlarms: [], evidence };
  }

  private called(kind: ScriptedCall['kind'], what: number | string): ReturnType<ScriptedListings['trouble']> {
    const call = { kind, at: this.clock.now(), what };
    this.calls.push(call);
    return this.trouble(call);
  }
}

/** A listed pass of a member. */
export function passOf(memberId: string, change: Partial<WalletPass> = {}): WalletPass {
  return {
    passId: Buffer.from(memberId).reduce((number, byte) => (number * 256 + byte) % 1_000_003, 1_000),
    serialNumber: `serial-${memberId}`,
    templateTierId: 1,
    statusCode: 'ACTIVE',
    ...change,
    passdata: { points: 0, metaData: { memberId }, ...change.passdata },
  };
}
