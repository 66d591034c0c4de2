import type { OutputFormat } from '../output/formats.js';
import { safeLine } from '../output/safe-text.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import type { FailedRecord, SettledRecord, Settling } from './records-api.js';

export interface Settled {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly FailedRecord[];
  /** One by one, where that is known. */
  readonly records: readonly SettledRecord[];
}

const participles: Readonly<Record<Settling, string>> = { resubmit: 'resubmitted', discard: 'discarded' };

function recordText({ id, result, intent, reason }: SettledRecord): string {
  const because = reason === null ? '' : ` (${reason})`;
  return `${safeLine(`${id}: ${result}${because}${intent === null ? '' : `, ${intent}`}`)}\n`;
}

function viewOf(settling: Settling): OneView<Settled> {
  return {
    text: ({ done, failed, records }) => {
      const lost = failed === 0 ? '' : `, ${failed} failed`;
      return `${records.map(recordText).join('')}${done} ${participles[settling]}${lost}\n`;
    },
    nameOf: ({ records }) => records.map(({ id }) => id).join(' '),
  };
}

/** What came of it on standard output; the failures that are known one by one on standard error. */
export async function writeSettled(
  terminal: Terminal,
  { settling, settled }: { readonly settling: Settling; readonly settled: Settled },
  format: OutputFormat,
): Promise<void> {
  for (const { id, detail } of settled.failures) terminal.tell(safeLine(`loyaltyd: ${id}: ${detail}`));
  await writeOne(terminal, viewOf(settling), { item: settled, format });
}
