import { wrongUsage } from '../../command-line/command-failure.js';
import { exitNothingMatched, exitOk } from '../../command-line/exit-codes.js';
import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import type { ListRequest } from '../http/list-pages.js';
import type { ListFlags } from '../options/output-options.js';
import { listWriter } from '../output/list-writer.js';
import { parseQuery } from '../query/parse-query.js';
import type { Terminal } from '../terminal/terminal.js';
import { watched } from '../watch/watched.js';
import type { ListSource } from './list-source.js';

export interface GetFlags extends ConnectionFlags, ListFlags {
  readonly query?: string;
}

function requestOf<T>({ path, keys, since }: ListSource<T>, flags: GetFlags): ListRequest<T> {
  const { limit, since: sinceMs } = flags;
  const query = parseQuery(flags.query ?? '', keys);
  if (sinceMs === undefined) return { path, query, limit, isWanted: () => true };
  if (since !== 'from') return { path, query, limit, isWanted: (item) => Date.parse(since(item)) >= sinceMs };
  if (query['from'] !== undefined) throw wrongUsage('--since and `from` of --query: one of them');
  return { path, limit, query: { ...query, from: new Date(sinceMs).toISOString() }, isWanted: () => true };
}

async function show<T>(
  terminal: Terminal,
  source: ListSource<T>,
  asked: { readonly client: ApiClient; readonly request: ListRequest<T>; readonly flags: GetFlags },
): Promise<number> {
  const { client, request, flags } = asked;
  const writer = listWriter(source, flags.output, terminal);
  let count = 0;
  for await (const { items, hasMore } of source.pages(client, request)) {
    count += items.length;
    await writer.write(items);
    if (hasMore) terminal.tell(`loyaltyd: there are more than ${flags.limit}: --limit shows them`);
  }
  await writer.end();
  if (count === 0) terminal.tell('loyaltyd: nothing matches');
  return count === 0 ? exitNothingMatched : exitOk;
}

/** Shows a list. @returns the exit code */
export async function getList<T>(terminal: Terminal, source: ListSource<T>, flags: GetFlags): Promise<number> {
  const request = requestOf(source, flags);
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  return watched(terminal, flags.watch, (shown) => show(shown, source, { client, request, flags }));
}
