import { exitNothingMatched, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ListRequest, Page } from './api-client.js';
import { ApiClient } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import { downloadList } from './download.js';
import type { fileFormats, ListFlags, OutputFlags, WatchFlags } from './flags.js';
import type { ListView, OneView } from './output.js';
import { listWriter, writeOne } from './output.js';
import type { QueryKeys } from './query.js';
import { parseQuery } from './query.js';
import { watch } from './watch.js';

/** A list of the operations API: where it comes from and how it is shown. */
export interface ListSource<T> extends ListView<T> {
  readonly path: string;
  /** Where the server writes it as a file; absent: nowhere. */
  readonly download?: string;
  /** The keys that its query takes. */
  readonly keys: QueryKeys;
  readonly pages: (client: ApiClient, request: ListRequest<T>) => AsyncGenerator<Page<T>>;
  /** What `--since` looks at; `from`: the API itself does, by a filter of that name. */
  readonly since: 'from' | ((item: T) => string);
}

export interface GetFlags extends ConnectionFlags, Omit<ListFlags, 'output'> {
  readonly output: (typeof fileFormats)[number];
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
  const { output } = flags;
  if (output === 'csv') return downloadList(terminal, client, { ...request, path: source.download ?? source.path });
  const writer = listWriter(source, output, terminal);
  let count = 0;
  for await (const { items, hasMore } of source.pages(client, request)) {
    count += items.length;
    await writer.write(items);
    if (hasMore) terminal.report(`loyaltyd: there are more than ${flags.limit}: --limit shows them`);
  }
  await writer.end();
  if (count === 0) terminal.report('loyaltyd: nothing matches');
  return count === 0 ? exitNothingMatched : exitOk;
}

/** Shows a list. @returns the exit code */
export async function getList<T>(terminal: Terminal, source: ListSource<T>, flags: GetFlags): Promise<number> {
  const request = requestOf(source, flags);
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  return watch(terminal, flags.watch, (shown) => show(shown, source, { client, request, flags }));
}

export interface DescribeFlags extends ConnectionFlags, OutputFlags, WatchFlags {}

/** One thing of the operations API: where it comes from and how it is shown. */
export interface Described<T> extends OneView<T> {
  readonly load: (client: ApiClient) => Promise<T>;
}

/** Shows one thing with everything about it. @returns the exit code */
export async function describe<T>(terminal: Terminal, described: Described<T>, flags: DescribeFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  return watch(terminal, flags.watch, async (shown) => {
    await writeOne(shown, described, { item: await described.load(client), format: flags.output });
    return exitOk;
  });
}
