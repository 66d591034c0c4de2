import type { Database, SqlStatement } from '#platform';

import { protectStatements, runAll } from './create-partition.js';
import type { EventPartition } from './partition-plan.js';
import { withTableLock } from './with-table-lock.js';

const stray = 'intent_event_default';

/** Without this promise the rows would be read through once more, while everybody waits. */
function promiseBounds({ name, from, to }: EventPartition): SqlStatement[] {
  return [
    { name: 'drop_stray_bounds', text: `ALTER TABLE ${stray} DROP CONSTRAINT IF EXISTS stray_bounds` },
    {
      name: `bound_strays_for_${name}`,
      text: `ALTER TABLE ${stray} ADD CONSTRAINT stray_bounds CHECK (pos >= ${from} AND pos < ${to}) NOT VALID`,
    },
  ];
}

/** However many rows there are: it locks out nobody who reads or adds. */
const checkBounds: readonly SqlStatement[] = [
  { name: 'check_stray_bounds', mayTakeLong: true, text: `ALTER TABLE ${stray} VALIDATE CONSTRAINT stray_bounds` },
];

function change({ name, from, to }: EventPartition): SqlStatement[] {
  return [
    { name: 'detach_strays', text: `ALTER TABLE intent_event DETACH PARTITION ${stray}` },
    { name: `name_strays_${name}`, text: `ALTER TABLE ${stray} RENAME TO ${name}` },
    {
      name: `rename_guard_${name}`,
      text: `ALTER TRIGGER ${stray}_no_truncate ON ${name} RENAME TO ${name}_no_truncate`,
    },
    {
      name: `attach_${name}`,
      text: `ALTER TABLE intent_event ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    },
    { name: `unbind_${name}`, text: `ALTER TABLE ${name} DROP CONSTRAINT stray_bounds` },
    { name: 'create_stray_partition', text: `CREATE TABLE ${stray} PARTITION OF intent_event DEFAULT` },
    ...protectStatements(stray),
  ];
}

/**
 * Makes a partition of the default one: nothing is moved, nothing is deleted. An interrupted one is taken up again by
 * the next.
 * @returns false when it could not be done without making others wait
 */
export async function adoptStrays(database: Database, partition: EventPartition): Promise<boolean> {
  for (const statements of [promiseBounds(partition), checkBounds, change(partition)]) {
    const isDone = await withTableLock(database, 'adopt_strays', (session) => runAll(session, statements));
    if (!isDone) return false;
  }
  return true;
}
