import { parseSeed } from '../seed/load-seed.js';
import { defaultSeed } from '../seed/default-seed.js';
import { Spelling } from './spelling.js';
import { spellingSchema } from './spelling-schema.js';

const spellingOf = (choice: object): Spelling => new Spelling(spellingSchema.parse(choice));

describe('a seed that chooses nothing', () => {
  const spelling = spellingOf({});

  it('hands everything through as it is', () => {
    const body = { templateTierId: 1 };
    expect(spelling.readBody('issue', body)).toBe(body);
    expect(spelling.readQuery('list', body)).toBe(body);
    expect(spelling.writeAnswer('issue', body)).toBe(body);
    expect([spelling.successStatus('issue'), spelling.successStatus('reward')]).toEqual([200, 200]);
  });
});

describe('names', () => {
  it('may be swapped', () => {
    const spelling = spellingOf({ issue: { brandId: 'programId', programId: 'brandId' } });
    expect(spelling.readBody('issue', { brandId: 2001, programId: 101 })).toEqual({ programId: 2001, brandId: 101 });
  });

  it('that are spelled otherwise are unknown', () => {
    const spelling = spellingOf({ list: { pageSize: 'size' } });
    expect(() => spelling.readQuery('list', { pageSize: '5' })).toThrow('Unrecognized key: "pageSize"');
  });

  it('like __proto__ stay names', () => {
    const spelling = spellingOf({ list: { pageSize: 'size' } });
    const query = spelling.readQuery('list', JSON.parse('{"__proto__":"x","size":"5"}'));
    expect(Object.keys(query as object)).toEqual(['__proto__', 'pageSize']);
  });

  it.each([
    [{ list: { pageSize: 'email' } }, 'email'],
    [{ list: { pageSize: 'pageNumber' } }, 'pageNumber'],
    [{ issue: { ipAddress: 'ip', groupId: 'ip' } }, 'ip'],
  ])('that meet are refused: %j', (choice, name) => {
    expect(() => parseSeed({ ...defaultSeed, spelling: choice })).toThrow(`${name} would be the name of two things`);
  });

  it.each([{ issue: { colour: 'color' } }, { lists: {} }, { createdStatus: 404 }, { list: { pageSize: '' } }])(
    'that nobody has are refused: %j',
    (choice) => {
      expect(() => parseSeed({ ...defaultSeed, spelling: choice })).toThrow('spelling');
    },
  );
});

it('a body that is no object is left to its schema', () => {
  const spelling = spellingOf({ issue: { ipAddress: 'ip' } });
  for (const body of [undefined, null, 5, ['ip']]) expect(spelling.readBody('issue', body)).toBe(body);
});
