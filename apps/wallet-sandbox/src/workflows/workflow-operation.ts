import type { CallPath } from '../http/call.js';
import type { CallOperation } from '../http/operation.js';
import type { Catalogue } from '../seed/catalogue.js';

/** What a workflow's call is to the fault rules: what its workflow does; an unknown one counts as issuing. */
export function workflowOperation(catalogue: Catalogue, path: CallPath): CallOperation {
  const does = catalogue.find(path)?.workflows.get(path.targetId)?.does;
  return does === 'update' ? 'update-via-workflow' : 'issue-via-workflow';
}
