import { createInterface } from 'node:readline/promises';

import type { ContractPlan } from './run-contract.js';
import type { CallName, Setup, Specification } from './specification.js';
import { callNames, writesOf } from './specification.js';

interface PlannedWrite {
  readonly call: CallName;
  readonly what: string;
  /** At most: what the partner refuses is not written. */
  readonly count: number;
}

/** What a run is going to leave behind at the service. */
export function plannedWrites({ specification, assumptions, selection }: ContractPlan, setup: Setup): PlannedWrite[] {
  const probed = assumptions.assumptions.map(({ after, steps, recognised }) => {
    const control = recognised === undefined ? undefined : assumptions.controls[recognised.by];
    return { after, calls: control === undefined ? steps.map(({ call }) => call) : [control.call] };
  });
  const rows = specification.rows.map(({ after, steps }) => ({ after, calls: steps.map(({ call }) => call) }));
  const proofs = selection === 'read' ? [] : setup.transactionTypes.unique.flatMap(() => twoTransactions);
  const all = [...written(rows, specification), ...written(rows, specification), ...written(probed, specification)];
  return callNames.flatMap((call) => {
    const count = [...all, ...proofs].filter((one) => one === call && !setup.mayNot.includes(one)).length;
    return count === 0 ? [] : [{ call, what: specification.calls[call].writes ?? '', count }];
  });
}

interface Work {
  readonly after: readonly string[];
  readonly calls: readonly CallName[];
}

const twoTransactions: readonly CallName[] = ['transaction', 'transaction'];

/** The calls of one pass that write; scenes are played once for all of it. */
function written(works: readonly Work[], specification: Specification): CallName[] {
  const scenes = [...new Set(works.flatMap(({ after }) => withInherited(after, specification)))];
  const inScenes = scenes.flatMap((name) => {
    const steps = specification.scenes[name]?.steps ?? [];
    return writesOf({ after: [], steps }, specification);
  });
  const own = works.flatMap(({ calls }) => calls.filter((call) => specification.calls[call].writes !== null));
  return [...inScenes, ...own];
}

function withInherited(names: readonly string[], specification: Specification): string[] {
  return names.flatMap((name) => [...withInherited(specification.scenes[name]?.after ?? [], specification), name]);
}

/** The plan for people. */
export function planText(
  writes: readonly PlannedWrite[],
  { baseUrl, setup, run }: { readonly baseUrl: string; readonly setup: Setup; readonly run: string },
): string {
  if (writes.length === 0) return `${baseUrl}: nothing will be written.`;
  return [
    `${baseUrl}, brand ${setup.brand}, program ${setup.program}: at most so much will be written, and the service has no`,
    `call that deletes. What gets a name is called ct-${run}...`,
    ...writes.map(({ call, what, count }) => `  ${String(count).padStart(4)} x ${what} (${call})`),
  ].join('\n');
}

/** Asks on the terminal; null when there is nobody to ask. */
export async function confirmed(question: string): Promise<boolean | null> {
  if (!process.stdin.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
