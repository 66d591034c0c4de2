import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { Program } from '#contracts';

import type { PartnerCommand } from '../owed/partner-command.js';
import { policyOf } from './delivery-policy.js';

function exampleProgram(): Program {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  const program = parsed.ok ? parsed.value.programs['coffee-club'] : undefined;
  if (program === undefined) throw new Error('the example must be valid');
  return { ...program, inFlightMs: 10_000, onUnknown: { ...program.onUnknown, reward: 'probe' } };
}

const program = exampleProgram();
const reference = { brandId: '101', programId: '2001', uniqueId: 'm', uniqueIdKey: 'memberId' };
const command: PartnerCommand = { ...reference, operation: 'reward', rewardId: '9001', pointsDelta: 5 };

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

describe('whether a reward spends points', () => {
  const spends = (mapping: object): boolean => {
    const rewards = { coffee: { id: '9001', pointsDelta: null, ...mapping } };
    return policyOf({ ...program, rewards }, { operation: 'reward', command }).spendsPoints;
  };

  it.each([
    [{}, false],
    [{ pointsDelta: -5 }, true],
    [{ pointsDelta: 5 }, false],
    [{ spendsPoints: true }, true],
    [{ pointsDelta: -5, spendsPoints: false }, false],
    [{ id: '9002', spendsPoints: true }, false],
  ])('%j', (mapping, isSo) => {
    expect(spends(mapping)).toBe(isSo);
  });
});
