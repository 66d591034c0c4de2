import type { SqlSession } from '#platform';
import type { PassHandle } from '../passes/pass.js';
import { selectPasses } from '../passes/select-passes.js';
import { selectPersons } from '../passes/select-persons.js';
import { lockCounter } from '../store/lock-counter.js';
import { selectUniqueValues } from '../transactions/select-unique-values.js';
import { uniqueValuesOf } from '../transactions/unique-values.js';
import type { Effect } from './effect.js';
import { WorkingSet } from './working-set.js';

/** Locks out other writers, then loads whatever the effects may look at. */
export async function loadState(session: SqlSession, effects: readonly Effect[]): Promise<WorkingSet> {
  const counter = await lockCounter(session);
  const passes = await selectPasses(session, effects.flatMap(handlesOf));
  const persons = await selectPersons(session, effects.flatMap(personsOf));
  const values = effects.flatMap((effect) => (effect.operation === 'transaction' ? uniqueValuesOf(effect) : []));
  const usedValues = await selectUniqueValues(session, values);
  return new WorkingSet({ ...counter, passes, persons, usedValues });
}

function handlesOf(effect: Effect): PassHandle[] {
  if ('handle' in effect) return [effect.handle];
  return 'content' in effect ? [{ uniqueId: effect.uniqueId }] : [];
}

function personsOf(effect: Effect): { brandId: string; uniqueId: string }[] {
  return 'content' in effect ? [{ brandId: effect.program.brandId, uniqueId: effect.uniqueId }] : [];
}
