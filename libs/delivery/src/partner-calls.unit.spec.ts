import { OPERATIONS } from '#domain';
import type { PassOperations } from '#gateway';

import { sendCommand } from './partner-calls.js';
import { applied, commandOf } from './testing/engine-harness.js';

const options = { timeoutMs: 1_000 };

/** Remembers by which call each command went. */
function recordingPartner(): { readonly partner: PassOperations; readonly calls: unknown[] } {
  const calls: unknown[] = [];
  const answer = (call: string) => (command: unknown, given: unknown) => {
    calls.push({ call, command, given });
    return Promise.resolve(applied as never);
  };
  const names = ['issue', 'runWorkflow', 'scheduleUpdate', 'applyReward', 'createTransaction'] as const;
  const partner = Object.fromEntries(names.map((name) => [name, answer(name)])) as unknown as PassOperations;
  return { partner, calls };
}

describe('sendCommand', () => {
  const expected = {
    issue: 'issue',
    'issue-via-workflow': 'runWorkflow',
    'update-via-workflow': 'runWorkflow',
    'schedule-update': 'scheduleUpdate',
    transaction: 'createTransaction',
    reward: 'applyReward',
  } as const;

  it.each(OPERATIONS)('%s becomes its one call of the partner, unchanged', async (operation) => {
    const { partner, calls } = recordingPartner();
    const command = commandOf(operation);
    expect(await sendCommand(partner, command, options)).toBe(applied);
    expect(calls).toEqual([{ call: expected[operation], command, given: options }]);
  });
});
