import { Names, NotRun, resolve } from './names.js';

const scope = { setup: { brand: '101', email: null }, member: 'm_1', pass: { passId: 7 } };

describe('resolving a value', () => {
  it('keeps the type of a text that is one name, and puts names into longer ones', () => {
    expect(resolve({ a: '${pass.passId}', b: ['${member}-x'], '${member}': 1, c: null }, scope)).toEqual({
      a: 7,
      b: ['m_1-x'],
      m_1: 1,
      c: null,
    });
  });

  it('says that the setup names nothing, and throws for what nobody knows', () => {
    expect(() => resolve('${setup.email.brand}', scope)).toThrow(NotRun);
    expect(() => resolve('${setup.email.brand}', scope)).toThrow('the setup names no email.brand');
    expect(() => resolve('${nobody}', scope)).toThrow('nothing is known as nobody');
  });

  it('tells times from now, and what clocks show elsewhere', () => {
    const now = Date.parse('2026-11-21T09:00:00Z');
    jest.useFakeTimers({ now });
    expect(Number(resolve('${epochMs:+60000}', scope))).toBe(now + 60_000);
    const [utc, tokyo] = [resolve('${local:+0:UTC}', scope), resolve('${local:+0:Asia/Tokyo}', scope)].map(String);
    expect(utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    const hours = (Date.parse(`${tokyo ?? ''}Z`) - Date.parse(`${utc ?? ''}Z`)) / 3_600_000;
    jest.useRealTimers();
    expect(hours).toBe(9);
  });
});

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
