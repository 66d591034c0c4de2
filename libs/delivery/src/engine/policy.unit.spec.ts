import type { Program } from '#contracts';

import { commandOf, exampleProgram } from '../testing/engine-harness.js';
import { policyOf } from './policy.js';

const example = exampleProgram();
const program: Program = { ...example, inFlightMs: 10_000, onUnknown: { ...example.onUnknown, reward: 'probe' } };
const command = { ...commandOf('reward'), pointsDelta: 5 } as ReturnType<typeof commandOf>;

function resolutionWith(intent: { readonly quietPeriodMs?: number }): string {
  return policyOf(program, { operation: 'reward', command, ...intent }).resolution;
}

describe('how a reward in doubt is resolved', () => {
  it('is by the points read before and after', () => {
    expect(resolutionWith({})).toBe('probe-points');
    expect(resolutionWith({ quietPeriodMs: 10_000 })).toBe('probe-points');
  });

  it('is by a person where the points were read right after another call: they may not have shown that one yet', () => {
    expect(resolutionWith({ quietPeriodMs: 9_999 })).toBe('park');
  });

  it('is by a person where the command cannot be read any more', () => {
    expect(policyOf(program, { operation: 'reward', command: null }).resolution).toBe('park');
  });
});
