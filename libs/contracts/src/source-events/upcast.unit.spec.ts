import { UPCASTERS, upcastToNewest, type Upcaster } from './upcast.js';

const older = (to: string): Upcaster => ({ to, upcast: (data) => ({ ...(data as object), [to]: true }) });
const v1 = 'loyalty.member.merged.v1';

describe('upcasting on read', () => {
  it('needs no step today', () => {
    expect(UPCASTERS.size).toBe(0);
  });

  it('leaves the newest version alone', () => {
    const data = { memberId: 'm' };
    expect(upcastToNewest({ name: v1, data })).toEqual({ name: v1, data });
  });

  it('follows the chain and does not touch what was sent', () => {
    const upcasters = new Map([
      ['loyalty.member.merged.v-1', older('loyalty.member.merged.v0')],
      ['loyalty.member.merged.v0', older(v1)],
    ]);
    const data = Object.freeze({ memberId: 'm' });
    expect(upcastToNewest({ name: 'loyalty.member.merged.v-1', data }, upcasters)).toEqual({
      name: v1,
      data: { memberId: 'm', 'loyalty.member.merged.v0': true, [v1]: true },
    });
  });

  it('gives up on an unknown version and on a circle', () => {
    expect(upcastToNewest({ name: 'loyalty.member.merged.v9', data: {} })).toBeNull();
    const circle = new Map([
      ['a', older('b')],
      ['b', older('a')],
    ]);
    expect(upcastToNewest({ name: 'a', data: {} }, circle)).toBeNull();
  });
});
