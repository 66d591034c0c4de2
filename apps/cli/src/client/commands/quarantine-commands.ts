import type { Command } from 'commander';

import { withAct, withReason, withReasonIfGiven } from '../options/act-options.js';
import { parseLimit, parseRecordIds } from '../options/parse-options.js';
import type { Settling } from '../quarantine/records-api.js';
import type { SettleFlags } from '../quarantine/settle-records.js';
import type { Shell } from './shell.js';

const descriptions: Readonly<Record<Settling, string>> = {
  resubmit: 'take in after all what was set aside',
  discard: 'give up what was set aside; it is kept, and done with',
};

/** Who gives something up says why. */
const reasons = { resubmit: withReasonIfGiven, discard: withReason };

function addSettling(program: Command, settling: Settling, { finish, terminal }: Shell): void {
  const description = descriptions[settling];
  const command = program
    .command(settling)
    .description(description)
    .command('quarantine')
    .description(description)
    .argument('[id...]', 'numbers, as `loyaltyd get quarantine` shows them', parseRecordIds)
    .option('-q, --query <query>', 'instead of ids, such as "reason=invalid topic=loyalty.purchases"')
    .option('--limit <n>', 'with --query: how many at most, or `all`', parseLimit, Infinity)
    .option('-y, --yes', 'with --query: do not ask');
  if (settling === 'resubmit') {
    command.option('--file <file>', 'the value to be taken instead of the one that arrived; - is standard input');
  }
  withAct(command, reasons[settling]).action(async (ids: readonly number[], flags: SettleFlags) => {
    const { settleRecords } = await import('../quarantine/settle-records.js');
    finish(await settleRecords(terminal, { settling, ids }, flags));
  });
}

/** `loyaltyd resubmit quarantine` and `discard quarantine`. */
export function addQuarantineVerbs(program: Command, shell: Shell): void {
  addSettling(program, 'resubmit', shell);
  addSettling(program, 'discard', shell);
}
