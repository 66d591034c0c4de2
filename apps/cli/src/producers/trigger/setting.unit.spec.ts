import { applySetting, readSetting, settingValue } from './setting.js';

const event = (): Record<string, unknown> => ({
  id: 'a',
  data: { total: { minor: 1 }, lines: [{ sku: 'a' }, { sku: 'b' }], metaData: {}, tier: null },
});

/** The event after `--set words`, or why not. */
const set = (words: string, number = 1): unknown => {
  const changed = event();
  try {
    const setting = readSetting(words);
    applySetting(changed, { ...setting, value: settingValue(setting, number) });
    return changed;
  } catch (error) {
    return (error as Error).message;
  }
};

const withData = (data: object): object => ({ ...event(), data: { ...(event()['data'] as object), ...data } });

describe('--set', () => {
  it.each<[string, object]>([
    ['total.minor=250', withData({ total: { minor: 250 } })],
    ['data.total.minor=250', withData({ total: { minor: 250 } })],
    ['total={"minor":3}', withData({ total: { minor: 3 } })],
    ['storeId=berlin-07', withData({ storeId: 'berlin-07' })],
    ['storeId="42"', withData({ storeId: '42' })],
    ['storeId=42', withData({ storeId: 42 })],
    ['storeId=', withData({ storeId: '' })],
    ['storeId=null', withData({ storeId: null })],
    ['storeId=a=b', withData({ storeId: 'a=b' })],
    [`storeId=${'['.repeat(65)}${']'.repeat(65)}`, withData({ storeId: `${'['.repeat(65)}${']'.repeat(65)}` })],
    ['storeId={x', withData({ storeId: '{x' })],
    ['lines.1.sku=x', withData({ lines: [{ sku: 'a' }, { sku: 'x' }] })],
    ['lines[1].sku=x', withData({ lines: [{ sku: 'a' }, { sku: 'x' }] })],
    ['lines[2]={"sku":"c"}', withData({ lines: [{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }] })],
    ['foo.bar.baz=true', withData({ foo: { bar: { baz: true } } })],
    ['foo[0][0]=1', withData({ foo: [[1]] })],
    ['tier.name=x', withData({ tier: { name: 'x' } })],
    ['metaData.0=x', withData({ metaData: { 0: 'x' } })],
    ['id=b', { ...event(), id: 'b' }],
    ['time=2026-01-01T00:00:00Z', { ...event(), time: '2026-01-01T00:00:00Z' }],
    ['data={}', { ...event(), data: {} }],
  ])('takes %s', (words, changed) => {
    expect(set(words)).toEqual(changed);
  });

  it('puts the number of the event where it is asked for', () => {
    expect(set('purchaseId=B-{n}', 7)).toEqual(withData({ purchaseId: 'B-7' }));
    expect(set('total.minor={n}', 7)).toEqual(withData({ total: { minor: 7 } }));
  });

  it.each([
    ['storeId', 'storeId: must be path=value'],
    ['=1', ': not a path such as total.minor or lines[0].sku'],
    ['a..b=1', 'a..b: not a path such as total.minor or lines[0].sku'],
    ['[0]=1', '[0]: not a path such as total.minor or lines[0].sku'],
    ['lines[x]=1', 'lines[x]: not a path such as total.minor or lines[0].sku'],
    ['total.minor.x=1', 'data.total.minor.x: data.total.minor is not an object'],
    ['id.x=1', 'id.x: id is not an object'],
    ['lines[3]=1', 'data.lines.3: data.lines is a list of 2, counted from 0'],
    ['lines.x=1', 'data.lines.x: data.lines is a list of 2, counted from 0'],
    ['lines.01.sku=1', 'data.lines.01.sku: data.lines is a list of 2, counted from 0'],
    ['lines.length=0', 'data.lines.length: data.lines is a list of 2, counted from 0'],
    ['foo[999999999]=1', 'data.foo.999999999: data.foo is a list of 0, counted from 0'],
    [`${'a.'.repeat(64)}a=1`, expect.stringMatching(/more than 64 levels deep$/) as string],
  ])('refuses %s', (words, problem) => {
    expect(set(words)).toEqual(problem);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('reaches nothing that objects share: %s', (name) => {
    for (const path of [
      name,
      `${name}.polluted`,
      `total.${name}.polluted`,
      `data.${name}`,
      `lines[0].${name}.polluted`,
    ]) {
      expect(set(`${path}=1`)).toBe(`${path}: no such path may be set`);
    }
    set(`total={"${name}":{"polluted":1}}`);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });
});
