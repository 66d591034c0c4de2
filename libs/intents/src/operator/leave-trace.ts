import type { Database } from '#platform';

import type { RecordedAction } from './record-action.js';
import { recordAction } from './record-action.js';

/** Records what a person is about to be shown: before it is shown, so that nothing is seen without a trace. */
export async function leaveTrace(database: Database, recorded: RecordedAction): Promise<void> {
  await database.transaction('leave_trace', (session) => recordAction(session, recorded));
}
