import type { DoorSource } from '../door-source.js';
import { chooseSource } from './choose-source.js';

const completed = 'loyalty.purchase.completed.v1';
const merged = 'loyalty.member.merged.v1';

const source = (name: string, more: Partial<DoorSource> = {}): DoorSource => ({
  ...{ name, topic: name, isCloudEvents: true, types: [completed], programs: null, key: null, hook: null },
  ...more,
});

const sources = [
  source('tills', { programs: ['main'] }),
  source('web', { types: [completed, merged] }),
  source('json', { isCloudEvents: false }),
  source('pattern', { topic: null }),
];

const choose = (
  producer: { readonly sources: readonly string[]; readonly types?: readonly string[] },
  said: { readonly name?: string | null; readonly program?: unknown; readonly named?: string } = {},
): string => {
  const { sources: own, types = null } = producer;
  const { name = completed, program = 'main', named } = said;
  const chosen = chooseSource(sources, { name: 'shop', sources: own, types }, { name, program, named });
  return chosen.kind === 'source' ? chosen.source.name : `${chosen.code}: ${chosen.detail}`;
};

describe('the source by which an event comes', () => {
  it('is the only one of the token that says such events, or the one that is named', () => {
    expect(choose({ sources: ['tills'] })).toBe('tills');
    expect(choose({ sources: ['tills', 'web'] }, { name: merged })).toBe('web');
    expect(choose({ sources: ['tills', 'web'] }, { named: 'web' })).toBe('web');
    expect(choose({ sources: ['tills', 'web'] })).toMatch(/^ambiguous/);
  });

  it.each([
    ['a source that is not the token’s', { sources: ['tills'] }, { named: 'web' }],
    ['a source that is not there', { sources: ['gone'] }, {}],
    ['a type that is not the source’s', { sources: ['tills'] }, { name: merged }],
    ['a type that is not the token’s', { sources: ['web'], types: [completed] }, { name: merged }],
    ['a type that is none', { sources: ['web'] }, { name: null }],
    ['a program that is not the source’s', { sources: ['tills'] }, { program: 'other' }],
    ['no program, where the source is limited', { sources: ['tills'] }, { program: null }],
    ['a list of programs', { sources: ['tills'] }, { program: ['main'] }],
    ['a source that is no CloudEvents', { sources: ['json'] }, {}],
    ['a source without a topic by name', { sources: ['pattern'] }, {}],
  ])('is never %s', (_what, producer, said) => {
    expect(choose(producer, said)).toMatch(/^not-allowed/);
  });
});
