import { listAlarmsMax } from '../limits.js';
import type { ReadPage } from '../operations/list-passes.js';
import type { CallFailure } from '../port/call.js';
import type { ListingSummary } from '../port/pass-listing.js';
import { answerFailure } from '../wallet/call-failure.js';
import { pageFingerprint } from './page-fingerprint.js';
import type { PageNumbers } from './page-numbers.js';

/** What to do after a page. */
export type AfterPage = 'go-on' | 'complete' | CallFailure;

/**
 * The count of a listing under way. The partner's `totalCount` alone never decides: a short page ends a listing only
 * once as many rows were seen as the partner counts, a full one never does, and an empty one always. Each page's
 * fingerprint is kept, so that pages that repeat themselves end it, too.
 */
export class ListingProgress {
  private pages = 0;
  private rows = 0;
  private unreadableRows = 0;
  private totalCount: number | null = null;
  private end: ListingSummary['end'] = 'open';
  private nextPage: number;
  private readonly alarms = new Set<string>();
  private readonly seen = new Set<string>();

  constructor(private readonly numbers: PageNumbers) {
    this.nextPage = numbers.startPage;
  }

  get isOpen(): boolean {
    return this.end === 'open';
  }

  get pageNumber(): number {
    return this.nextPage;
  }

  /** As many rows were seen as the partner counts. */
  get isCountReached(): boolean {
    return this.totalCount !== null && this.numbers.rowsBefore + this.rows >= this.totalCount;
  }

  get summary(): ListingSummary {
    const { end, pages, rows, unreadableRows, totalCount, nextPage } = this;
    const shapeAlarms = [...this.alarms];
    return { end, pages, rows, unreadableRows, totalCount, agrees: this.agrees(), nextPage, shapeAlarms };
  }

  /** Why no further page may be asked for; `null` when one may. */
  overstepped(): CallFailure | null {
    return this.pages < this.numbers.pagesMax ? null : answerFailure('too-many-pages');
  }

  take(page: ReadPage): AfterPage {
    const size = page.rows.length;
    const isRepeated = size > 0 && this.isRepeated(page);
    // A partner may answer a number behind the last page with the last page.
    if (isRepeated) return this.isCountReached ? 'complete' : answerFailure('page-repeated');
    this.raise(page);
    this.pages += 1;
    this.rows += size;
    this.unreadableRows += size - page.passes.length;
    this.totalCount = page.totalCount ?? this.totalCount;
    this.nextPage += 1;
    return size === 0 || (this.isShort(page) && this.isEndBelievable()) ? 'complete' : 'go-on';
  }

  finish(end: 'complete' | 'failed'): void {
    this.end = end;
  }

  private isRepeated({ rows }: ReadPage): boolean {
    const before = this.seen.size;
    return this.seen.add(pageFingerprint(rows)).size === before;
  }

  /** The partner may have a smaller page size than the one asked for. */
  private isShort({ rows, pageSize }: ReadPage): boolean {
    const answered = pageSize !== null && pageSize > 0 ? pageSize : this.numbers.pageSize;
    return rows.length < Math.min(answered, this.numbers.pageSize);
  }

  private isEndBelievable(): boolean {
    return this.totalCount === null || this.isCountReached;
  }

  private raise({ alarms, pageNumber }: ReadPage): void {
    const odd = pageNumber !== null && pageNumber !== this.nextPage ? ['pageNumber'] : [];
    for (const alarm of [...alarms, ...odd]) if (this.alarms.size < listAlarmsMax) this.alarms.add(alarm);
  }

  private agrees(): boolean | null {
    if (this.end !== 'complete' || this.totalCount === null) return null;
    return this.rows === Math.max(0, this.totalCount - this.numbers.rowsBefore);
  }
}
