import { type Assumption, type Assumptions, assumedValues, loadAssumptions } from '../assumptions/assumption.js';
import { Names } from '../interpreter/names.js';
import { loadSpecification } from '../reading/load-specification.js';
import { selected, type Selection, writesOf } from '../reading/read-only.js';
import type { Specification } from '../reading/specification.js';

/** All that a run is going to do, before anybody is asked anything. */
export interface ContractPlan {
  readonly specification: Specification;
  readonly assumptions: Assumptions;
  readonly names: Names;
  readonly selection: Selection;
}

/**
 * @param dialect entries of the dialect file; null where there is none
 * @throws DataError
 */
export function planContract(dialect: unknown, selection: Selection): ContractPlan {
  const specification = selected(loadSpecification(), selection);
  const all = loadAssumptions();
  const isSelected = (assumption: Assumption): boolean =>
    selection === null || !isWriting(assumption, all, specification) === (selection === 'read');
  return {
    specification,
    assumptions: { ...all, assumptions: all.assumptions.filter(isSelected) },
    names: new Names(assumedValues(all), dialect),
    selection,
  };
}

function isWriting(assumption: Assumption, assumptions: Assumptions, specification: Specification): boolean {
  const control = assumptions.controls[assumption.recognised?.by ?? assumption.control ?? ''];
  const isControlWriting = control !== undefined && specification.calls[control.call].writes !== null;
  return isControlWriting || writesOf(assumption, specification).length > 0;
}
