import type { Claims } from './identity-provider.js';
import { endOf, nameLengthMax, nameOf, pathPartsMax, programsOf, roleOf } from './provider-operators.js';

describe('the role of a token', () => {
  it.each<[string, Claims, { readonly at: string; readonly role: string }]>([
    ['a list', { roles: ['viewer', 'operator', 'other'] }, { at: 'roles', role: 'operator' }],
    ['a text', { roles: 'admin' }, { at: 'roles', role: 'admin' }],
    ['a path', { realm_access: { roles: ['admin'] } }, { at: 'realm_access.roles', role: 'admin' }],
    [
      'a name with dots',
      { 'https://example.org/roles': ['viewer'] },
      { at: 'https://example.org/roles', role: 'viewer' },
    ],
    [
      'a path through a name with dots',
      { access: { 'ops.example': { roles: ['viewer'] } } },
      { at: 'access.ops.example.roles', role: 'viewer' },
    ],
    ['the whole name before the path', { 'a.b': 'viewer', a: { b: 'admin' } }, { at: 'a.b', role: 'viewer' }],
  ])('is the highest that the claim holds: %s', (_what, claims, { at, role }) => {
    expect(roleOf(claims, at)).toBe(role);
  });

  it.each([
    ['another claim', { groups: ['admin'] }, 'roles'],
    ['other roles', { roles: ['loyaltyd-admin', 'Admin'] }, 'roles'],
    ['a name that has one in it', { roles: 'super admin' }, 'roles'],
    ['the same in a list', { roles: ['Office operator', 'viewer,admin', ' admin', 'admin\n'] }, 'roles'],
    ['a text that might be a list', { roles: 'viewer,operator' }, 'roles'],
    ['scopes, which are one text', { scope: 'openid admin' }, 'scope'],
    ['a list within a list', { roles: [['admin']] }, 'roles'],
    ['no texts', { roles: [{ admin: true }, 1, null] }, 'roles'],
    ['a record', { roles: { admin: true } }, 'roles'],
    ['something inherited', {}, 'constructor.name'],
    ['a list on the way', { access: [{ roles: 'admin' }] }, 'access.0.roles'],
    ['a path too long to be looked through', {}, 'a.'.repeat(pathPartsMax)],
  ])('is none where there is %s', (_what, claims, path) => {
    expect(roleOf(claims, path)).toBeNull();
  });
});

describe('the programs of a token', () => {
  it.each<[string, Claims, readonly string[] | null]>([
    ['a list', { programs: ['tea', 'coffee', 'tea'] }, ['tea', 'coffee']],
    ['a text, whatever stands in it', { programs: 'tea club, coffee' }, ['tea club, coffee']],
    ['the word for all of them', { programs: '*' }, null],
    ['the same in a list', { programs: ['tea', '*'] }, null],
    ['no such claim', { roles: ['admin'] }, []],
    ['nothing in it', { programs: [] }, []],
    ['an empty text', { programs: '' }, []],
    ['something else besides', { programs: ['tea', 7] }, []],
    ['a record', { programs: { tea: true } }, []],
    ['a list within', { programs: [['tea']] }, []],
    ['null', { programs: null }, []],
  ])('are what the claim names: %s', (_what, claims, programs) => {
    expect(programsOf(claims, 'programs')).toEqual(programs);
  });

  it('are all of them where no claim is set', () => {
    expect(programsOf({ programs: ['tea'] }, null)).toBeNull();
  });
});

describe('the name of a token', () => {
  it.each([
    [{ preferred_username: 'ada', email: 'ada@example.org', sub: '1' }, 'ada'],
    [{ email: 'ada@example.org', sub: '1' }, 'ada@example.org'],
    [{ preferred_username: ' \u0000\u202e ', sub: 'auth0|1' }, 'auth0|1'],
    [{ preferred_username: 7, sub: 'x' }, 'x'],
    [{ preferred_username: 'ada\r\n\u202elovelace\u2028\u0000 ' }, 'ada lovelace'],
    [{ sub: '' }, null],
    [{}, null],
  ])('%j is %j', (claims, name) => {
    expect(nameOf(claims)).toBe(name);
  });

  it('is bounded, and cuts no character in two', () => {
    const name = nameOf({ sub: '\u{1F600}'.repeat(1_000) });
    expect(name).toBe('\u{1F600}'.repeat(nameLengthMax));
  });
});

it('a token ends when it says', () => {
  expect(endOf({ exp: 1_700_000_000 })).toEqual({ until: 1_700_000_000_000 });
  expect(endOf({})).toEqual({});
});
