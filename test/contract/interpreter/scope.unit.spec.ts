import { NotRun, resolve } from './scope.js';

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
    const before = Date.now();
    expect(Number(resolve('${epochMs:+60000}', scope)) - before).toBeGreaterThanOrEqual(60_000);
    const [utc, tokyo] = [resolve('${local:+0:UTC}', scope), resolve('${local:+0:Asia/Tokyo}', scope)].map(String);
    expect(utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    const hours = (Date.parse(`${tokyo ?? ''}Z`) - Date.parse(`${utc ?? ''}Z`)) / 3_600_000;
    expect(Math.round(hours)).toBe(9);
  });
});
