import type { PersonField, PersonSaid } from './person.js';
import { isSomebodyElse, personSaid } from './person.js';

const ada: PersonSaid = { firstName: 'ada', lastName: 'old', email: 'ada@example.org' };

const isOther = (said: PersonSaid): boolean =>
  isSomebodyElse((field: PersonField) => (said[field] && ada[field] ? said[field] !== ada[field] : null));

describe('isSomebodyElse', () => {
  it.each<[string, PersonSaid, boolean]>([
    ['another name and another address', { firstName: 'bob', lastName: 'new', email: 'bob@example.org' }, true],
    ['another first name in the family, and another address', { ...ada, firstName: 'bob', email: 'b@x.org' }, true],
    ['a marriage', { ...ada, lastName: 'new' }, false],
    ['a marriage with a new address', { ...ada, lastName: 'new', email: 'a.new@x.org' }, false],
    ['a new address', { ...ada, email: 'a@x.org' }, false],
    ['another first name', { ...ada, firstName: 'bob' }, false],
    ['another last name and address, without a first name', { lastName: 'new', email: 'b@x.org' }, true],
    ['another name, without an address', { firstName: 'bob', lastName: 'new' }, false],
    ['nothing', {}, false],
  ])('%s', (_of, said, is) => {
    expect(isOther(said)).toBe(is);
  });
});

describe('personSaid', () => {
  const reference = { brandId: 'b', programId: 'p', uniqueId: 'm', uniqueIdKey: 'memberId' };

  it('spells each value in one way, and says what is cleared', () => {
    const person = { firstName: '  ADA \t Maria ', lastName: '', email: null, phone: '1' };
    expect(personSaid({ ...reference, operation: 'issue', content: { person } })).toEqual({
      ...{ firstName: 'ada maria', lastName: null, email: null },
    });
  });
});
