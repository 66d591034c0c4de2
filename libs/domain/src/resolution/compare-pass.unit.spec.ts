import type { PassContent } from '../routing/partner-command.js';
import { comparePass } from './compare-pass.js';

const pass = {
  templateTierId: 1,
  passdata: { points: 100, gate: 'A', metaData: { memberId: 'm_1', vip: { a: 1, b: 2 } } },
};

describe('comparePass', () => {
  it.each<[string, PassContent, string]>([
    ['all other', { tierId: 2, passdata: { points: 120 } }, 'differs'],
    ['all the same', { tierId: 1, passdata: { points: 100 } }, 'as-wanted'],
    ['half of it', { tierId: 2, passdata: { points: 100 } }, 'inconclusive'],
    ['clearing what is there', { passdata: { gate: null } }, 'differs'],
    ['clearing what is not there', { passdata: { seat: null }, groupId: null }, 'as-wanted'],
    ['metaData, whatever the order of keys', { passdata: { metaData: { vip: { b: 2, a: 1 } } } }, 'as-wanted'],
    ['metaData of another value', { passdata: { metaData: { vip: { a: 1 } } } }, 'differs'],
    ['a person, which no pass shows', { person: { firstName: 'Ada' }, tierId: 1 }, 'inconclusive'],
    ['an SMS subscription, which no pass shows', { smsSubscription: 900 }, 'inconclusive'],
    ['nothing at all', {}, 'inconclusive'],
  ])('%s', (_name, content, expected) => {
    expect(comparePass(content, pass)).toBe(expected);
  });
});
