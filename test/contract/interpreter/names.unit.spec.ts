import { Names } from './names.js';
import { NotRun } from './scope.js';

const assumed = new Map<string, unknown>([
  ['list.names.pageSize', 'pageSize'],
  ['schedule.changeProperty', null],
  ['person.attributesProperty', null],
  ['success.statuses', [200, 201]],
  ['issue.successStatuses', null],
  ['status.numbers', { ACTIVE: 200 }],
]);
const standard = new Names(assumed, null);
const other = new Names(assumed, {
  list: { names: { pageSize: 'size' } },
  person: { attributesProperty: 'attributes' },
  success: { statuses: [200] },
  issue: { successStatuses: [201] },
});

describe('names of a dialect', () => {
  it('are the assumed ones, or those of the file', () => {
    expect(standard.spell({ '<list.names.pageSize>': 1, unique_id: '<list.names.pageSize>' })).toEqual({
      pageSize: 1,
      unique_id: 'pageSize',
    });
    expect(other.spell([{ '<list.names.pageSize>': 1 }])).toEqual([{ size: 1 }]);
  });

  it('put properties beside the others, or into one of their own', () => {
    const person = { firstName: 'Ada', '<person.attributesProperty?>': { birthday: 'x' } };
    expect(standard.spell(person)).toEqual({ firstName: 'Ada', birthday: 'x' });
    expect(other.spell(person)).toEqual({ firstName: 'Ada', attributes: { birthday: 'x' } });
  });

  it('leave a row unrun where nothing is named, and fail for an entry that does not exist', () => {
    expect(() => standard.at('schedule.changeProperty')).toThrow(NotRun);
    expect(() => standard.at('list.names.colour')).toThrow('no assumption is called');
  });

  it('reach into entries', () => {
    expect(standard.at('status.numbers.ACTIVE')).toBe(200);
    expect(standard.at('status.numbers.LIVE')).toBe('(not in the dialect)');
  });

  it('say what success is', () => {
    expect([standard.isSuccess(200), standard.isIssued(201), standard.isSuccess(204)]).toEqual([true, true, false]);
    expect([other.isSuccess(201), other.isIssued(201), other.isIssued(200)]).toEqual([false, true, false]);
  });
});
