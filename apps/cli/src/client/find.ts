import type { SearchHit, SearchResult } from '#contracts';

import { exitNothingMatched, exitOk } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiClient } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import type { OutputFlags } from './flags.js';
import type { ListView } from './output.js';
import { listWriter, writeOne } from './output.js';
import type { Described } from './show.js';
import { safeLine } from './text.js';

/** What other commands call it. */
function nameOf(hit: SearchHit): string {
  switch (hit.kind) {
    case 'intent':
      return hit.id;
    case 'record':
      return String(hit.id);
    case 'job':
      return `${hit.jobKind}/${hit.id}`;
    case 'member':
    case 'card':
      return `${hit.program}/${hit.memberId}`;
    case 'purchase':
      return hit.intent ?? hit.purchaseId;
    case 'store':
      return hit.store;
    case 'request':
      return hit.requestId;
    case 'refund':
    case 'return':
    case 'correction':
    case 'grant':
      return hit.intent;
  }
}

function aboutOf(hit: SearchHit): string {
  switch (hit.kind) {
    case 'intent':
      return `${hit.operation}, ${hit.status}`;
    case 'record':
      return `${hit.state}: ${hit.reason}, ${hit.detail}`;
    case 'job':
      return hit.state;
    case 'member':
      return hit.isErased ? 'erased' : '';
    case 'purchase':
      return `${hit.purchaseId}: ${hit.intents} intents of ${hit.program}/${hit.memberId}`;
    case 'store':
      return `${hit.intents} of the latest intents`;
    case 'request':
      return `${hit.action} by ${hit.actor}, ${hit.at}`;
    case 'card':
      return '';
    case 'refund':
    case 'return':
    case 'correction':
    case 'grant':
      return hit.number;
  }
}

const view: ListView<SearchHit> = {
  columns: [
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'NAME', of: nameOf },
    { title: 'ABOUT', of: aboutOf },
  ],
  nameOf,
};

/** What the only hit opens; null: nothing shows it alone. */
async function describedOf(hit: SearchHit): Promise<Described<never> | null> {
  const of = <T>(described: Described<T>): Described<never> => described as unknown as Described<never>;
  switch (hit.kind) {
    case 'member':
    case 'card':
      return of((await import('./members.js')).describedMember(hit));
    case 'record':
      return of((await import('./quarantine.js')).describedQuarantined(hit.id));
    case 'job':
      return of((await import('./jobs.js')).describedJob({ kind: hit.jobKind, id: hit.id }));
    case 'store':
    case 'request':
      return null;
    case 'purchase':
      return hit.intent === null ? null : of((await import('./intents.js')).describedIntent(hit.intent));
    case 'intent':
    case 'refund':
    case 'return':
    case 'correction':
    case 'grant':
      return of((await import('./intents.js')).describedIntent(nameOf(hit)));
  }
}

export interface FindFlags extends ConnectionFlags, OutputFlags {
  readonly limit: number;
}

/** Hits of one kind that the API answers at most. */
const ofKindMax = 50;

/** Finds by an id or its beginning; the only hit is shown as `describe` shows it. @returns the exit code */
export async function find(terminal: Terminal, text: string, flags: FindFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const query = { q: text, limit: String(Math.min(flags.limit, ofKindMax)) };
  const { groups } = (await client.get('/search', query)) as SearchResult;
  const hits = groups.flatMap(({ items }) => items);
  const [first] = hits;
  if (first === undefined) {
    terminal.report(safeLine(`loyaltyd: nothing is called ${text}, or begins so`));
    return exitNothingMatched;
  }
  const described = hits.length === 1 && flags.output === 'table' ? await describedOf(first) : null;
  if (described !== null) {
    await writeOne(terminal, described, { item: await described.load(client), format: flags.output });
    return exitOk;
  }
  const writer = listWriter(view, flags.output, terminal);
  await writer.write(hits);
  await writer.end();
  for (const { kind, hasMore } of groups) {
    if (hasMore) terminal.report(`loyaltyd: there are more of ${kind}: type more of it`);
  }
  return exitOk;
}
