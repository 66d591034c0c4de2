import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { OnModuleDestroy } from '@nestjs/common';
import { Injectable } from '@nestjs/common';

import type { IntentDownloadQuery, IntentView } from '#contracts';
import { Clock } from '#platform';

import type { Actor } from '../access/operator.js';
import type { PartnerSays } from '../groups/group-service.js';
import { GroupService } from '../groups/group-service.js';
import { ApiProblem } from '../problems/api-problem.js';
import { csvLine } from '../requests/csv.js';
import { IntentService } from './intent-service.js';

/** Downloads at once in one process. */
export const downloadsMax = 4;
/** One ends after so long, and says where it would go on. */
const downloadMsMax = 600_000;
/** A client that takes nothing for so long is disconnected. */
const stalledMsMax = 30_000;
/** Intents in memory at once. */
const pageRows = 500;

type Row = IntentView & { readonly partnerSays: string | null };

const amountText = ({ amount }: Row): string | null => {
  if (amount === null) return null;
  const digits = BigInt(Math.abs(amount.minor))
    .toString()
    .padStart(amount.digits + 1, '0');
  const point = digits.length - amount.digits;
  const fraction = amount.digits === 0 ? '' : `.${digits.slice(point)}`;
  return `${amount.minor < 0 ? '-' : ''}${digits.slice(0, point)}${fraction}`;
};

const columns: Readonly<Record<string, (row: Row) => string | number | null>> = {
  intent: ({ id }) => id,
  status: ({ status }) => status,
  operation: ({ operation }) => operation,
  program: ({ program }) => program,
  member: ({ memberId }) => memberId,
  purchase: ({ purchaseId }) => purchaseId,
  amount: amountText,
  currency: ({ amount }) => amount?.currency ?? null,
  store: ({ storeId }) => storeId,
  source: ({ source }) => source,
  reason: ({ reason }) => reason,
  code: ({ code }) => code,
  partnerSays: ({ partnerSays }) => partnerSays,
  fingerprint: ({ fingerprint }) => fingerprint,
  attempts: ({ attemptCount }) => attemptCount,
  recordedAt: ({ recordedAt }) => recordedAt,
  occurredAt: ({ occurredAt }) => occurredAt,
  since: ({ since }) => since,
  eventType: ({ eventType }) => eventType,
  topic: ({ cause }) => cause.topic,
  partition: ({ cause }) => cause.partition,
  offset: ({ cause }) => cause.offset,
};

interface Format {
  readonly contentType: string;
  readonly head: string;
  readonly line: (row: Row) => string;
  /** The last line where not all was sent: whoever opens the file sees that. */
  readonly notAll: (cursor: string) => string;
}

export const downloadFormats: Readonly<Record<IntentDownloadQuery['format'], Format>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: csvLine(Object.keys(columns)),
    line: (row) => csvLine(Object.values(columns).map((of) => of(row))),
    notAll: (cursor) => csvLine([`not all: the rest begins at cursor=${cursor}`]),
  },
  jsonl: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (row) => `${JSON.stringify(row)}\n`,
    notAll: (cursor) => `${JSON.stringify({ nextCursor: cursor })}\n`,
  },
};

type Parts = AsyncGenerator<string, void, undefined>;
type Part = IteratorResult<string, void>;

function unavailable(code: string, title: string): ApiProblem {
  return new ApiProblem({ status: 503, code, title, headers: { 'retry-after': '5' } });
}

/** What a list shows, as a file: written while it is read, so that its length costs no memory. */
@Injectable()
export class IntentDownloads implements OnModuleDestroy {
  private underWay = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly intents: IntentService,
    private readonly groups: GroupService,
  ) {}

  /** Whoever downloads is disconnected, and sees that it is not whole. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /**
   * @param answer takes the answer over: from then on nothing else may be answered
   * @throws {ApiProblem} where there are too many, or the query is none; what breaks later breaks the connection
   */
  async send(query: IntentDownloadQuery, actor: Actor, answer: () => ServerResponse): Promise<void> {
    if (this.closing.signal.aborted) throw unavailable('draining', 'This process is about to end');
    if (this.underWay >= downloadsMax) throw unavailable('too-many-downloads', 'Too many downloads at once');
    this.underWay += 1;
    try {
      const parts = this.partsOf(query, actor);
      const first = await parts.next();
      await this.write(answer(), first, parts);
    } finally {
      this.underWay -= 1;
    }
  }

  /** Where it breaks so does the connection: nobody takes a part for the whole. */
  private async write(response: ServerResponse, first: Part, rest: Parts): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.setTimeout(stalledMsMax, () => response.destroy());
    const signal = AbortSignal.any([gone.signal, this.closing.signal]);
    try {
      for (let part = first; part.done !== true; part = await rest.next()) {
        signal.throwIfAborted();
        if (!response.write(part.value)) await once(response, 'drain', { signal });
      }
      response.end();
    } catch {
      response.destroy();
    }
  }

  /** A page each; the first one is read before anything is answered. */
  async *partsOf({ format, limit, ...query }: IntentDownloadQuery, actor: Actor): Parts {
    const { head, line, notAll } = downloadFormats[format];
    const endsAt = this.clock.monotonic() + downloadMsMax;
    const says = await this.groups.partnerSays(actor.programs);
    for (let [before, left, { cursor }] = [head, limit, query]; ; before = '') {
      this.assertStillIn(actor);
      const page = await this.intents.list({ ...query, cursor, limit: Math.min(left, pageRows) }, actor);
      yield before + page.items.map((item) => line(rowOf(item, says))).join('');
      if (page.nextCursor === null) return;
      left -= page.items.length;
      cursor = page.nextCursor;
      if (left === 0 || this.clock.monotonic() > endsAt) {
        yield notAll(cursor);
        return;
      }
    }
  }

  /** @throws {ApiProblem} where the token has ended, or lets nobody in any more */
  private assertStillIn({ until = Infinity, isStillIn }: Actor): void {
    if (this.clock.now() < until && isStillIn?.() !== false) return;
    throw new ApiProblem({ status: 401, code: 'unauthorized', title: 'The token has ended' });
  }
}

function rowOf(item: IntentView, says: PartnerSays): Row {
  return { ...item, partnerSays: says(item.program, item.fingerprint) };
}
