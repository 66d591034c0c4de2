import { exitOk, exitSomeFailed } from '../../command-line/exit-codes.js';
import type { ActFlags } from '../act/act-on-intent.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import { fields } from '../output/fields.js';
import { safeLine } from '../output/safe-text.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';

interface Reloaded {
  /** False where the server worked by the same file before. */
  readonly changed: boolean;
  readonly hash: string;
  readonly programs: readonly string[];
  /** Of processes that did not follow. */
  readonly problems: readonly string[];
}

const view: OneView<Reloaded> = {
  text: ({ changed, hash, programs }) =>
    fields([
      ['Programs file', changed ? 'read again' : 'the same as before'],
      ['Hash', hash],
      ['Programs', programs.join(', ')],
    ]),
  nameOf: ({ hash }) => hash,
};

/** Has the programs file read again; an invalid one changes nothing. @returns the exit code */
export async function reload(terminal: Terminal, flags: ActFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.post('/reload', { reason: flags.reason })) as Reloaded;
  await writeOne(terminal, view, { item, format: flags.output });
  for (const problem of item.problems) terminal.tell(safeLine(`loyaltyd: ${problem}`));
  return item.problems.length === 0 ? exitOk : exitSomeFailed;
}
