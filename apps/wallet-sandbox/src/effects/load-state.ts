import type { SqlSession } from '#platform';
import { selectSharedKeys } from '../brand-attributes/select-shared-keys.js';
import { begunUniqueness } from '../brand-attributes/uniqueness-change.js';
import { type MetaDataValue, uniqueMetaData } from '../passes/meta-data.js';
import type { PassHandle } from '../passes/pass.js';
import { selectMetaData } from '../passes/select-meta-data.js';
import { selectPasses } from '../passes/select-passes.js';
import { selectPersons } from '../passes/select-persons.js';
import type { Catalogue } from '../seed/catalogue.js';
import { selectUniqueValues } from '../transactions/select-unique-values.js';
import { uniqueValuesOf } from '../transactions/unique-values.js';
import type { Effect } from './effect.js';
import { takeTurn } from './take-turn.js';
import { WorkingSet } from './working-set.js';

/** Locks out other writers, then loads whatever the effects may look at; what none of them may costs no statement. */
export async function loadState(
  session: SqlSession,
  catalogue: Catalogue,
  effects: readonly Effect[],
): Promise<WorkingSet> {
  const counter = await takeTurn(session, catalogue);
  const passes = await selectPasses(session, effects.flatMap(handlesOf));
  const persons = await selectPersons(session, effects.flatMap(personsOf));
  const values = effects.flatMap((effect) => (effect.operation === 'transaction' ? uniqueValuesOf(effect) : []));
  const usedValues = await selectUniqueValues(session, values);
  const metaData = await selectMetaData(session, effects.flatMap(metaDataOf));
  const sharedKeys = await selectSharedKeys(session, effects.flatMap(begunUniqueness));
  return new WorkingSet({ ...counter, passes, persons, usedValues, metaData, sharedKeys });
}

function handlesOf(effect: Effect): PassHandle[] {
  if ('handle' in effect) return [effect.handle];
  return 'content' in effect ? [{ uniqueId: effect.uniqueId }] : [];
}

function personsOf(effect: Effect): { brandId: string; uniqueId: string }[] {
  return 'content' in effect ? [{ brandId: effect.program.brandId, uniqueId: effect.uniqueId }] : [];
}

function metaDataOf(effect: Effect): MetaDataValue[] {
  return 'content' in effect ? uniqueMetaData(effect.program.brand, effect.content.passdata?.metaData ?? {}) : [];
}
