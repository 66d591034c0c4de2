import type { QuarantineActionResult } from '#contracts';
import type { BrowsedRecord, Settlement } from '#intents';

import { alreadySettled } from './quarantine-problems.js';
import { toQuarantinedView } from './quarantine-view.js';

const details: Readonly<Record<Settlement['result'], string>> = {
  recorded: 'It is taken in.',
  duplicate: 'The same had been taken in already: nothing is done a second time.',
  ignored: 'It is taken in and comes to nothing, as it would have in its topic: see the reason.',
  discarded: 'It is given up. Its bytes are kept.',
};

/** What became of a record that was just dealt with. */
export function toActionResult(record: BrowsedRecord): QuarantineActionResult {
  const { id, settled } = toQuarantinedView(record);
  if (settled === null) throw alreadySettled(record);
  const { result, intent, reason } = settled;
  return { id, result, intent, reason, detail: details[result] };
}
