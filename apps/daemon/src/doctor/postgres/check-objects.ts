import { strayEventsMax } from '#intents';
import type { BrokenObject } from '#platform';

import type { Finding } from '../finding.js';
import { failed, ok, troublesOr, warning } from '../finding.js';

const name = 'postgres.objects';

function toFinding({ kind, name: object, table }: BrokenObject): Finding {
  const at = `${name}.${object}`;
  if (kind === 'index') {
    const detail = `the index ${object} of ${table} is not valid: queries that need it read the whole table`;
    return failed(at, { detail, remedy: `REINDEX INDEX CONCURRENTLY ${object};` });
  }
  const detail = `the trigger ${object} of ${table} is switched off: what it protects or keeps up to date no longer is`;
  return failed(at, {
    detail,
    remedy: `ALTER TABLE ${table} ENABLE TRIGGER ${object}; then find out what was changed meanwhile.`,
  });
}

const remedy =
  'Nothing is lost. A daemon that runs makes a partition of them within a minute; where it does not, its log says why: partitions of events were not made.';

function judgePartitions(strayEvents: number): readonly Finding[] {
  if (strayEvents === 0) return [];
  const count = strayEvents < strayEventsMax ? String(strayEvents) : `${strayEventsMax} or more`;
  const detail = `${count} events lie in intent_event_default: the partitions made ahead were full`;
  return [warning(`${name}.intent_event_default`, { detail, remedy })];
}

/** What exists in our schema and does not do what it is there for. */
export function judgeObjects(broken: readonly BrokenObject[], strayEvents: number): readonly Finding[] {
  const troubles = [...broken.map(toFinding), ...judgePartitions(strayEvents)];
  return troublesOr(troubles, ok(name, 'every index is valid, every trigger fires'));
}
