import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { exitOk } from '../../command-line/exit-codes.js';
import { ApiClient } from '../http/api-client.js';
import type { OutputFlags, WatchFlags } from '../options/output-options.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import { watched } from '../watch/watched.js';

export interface DescribeFlags extends ConnectionFlags, OutputFlags, WatchFlags {}

/** One thing of the operations API: where it comes from and how it is shown. */
export interface Described<T> extends OneView<T> {
  readonly load: (client: ApiClient) => Promise<T>;
}

/** Shows one thing with everything about it. @returns the exit code */
export async function describe<T>(terminal: Terminal, described: Described<T>, flags: DescribeFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  return watched(terminal, flags.watch, async (shown) => {
    await writeOne(shown, described, { item: await described.load(client), format: flags.output });
    return exitOk;
  });
}
