import { SOURCE_EVENT_SAMPLES } from './event-samples.js';
import { isSourceEventName } from './source-event.js';
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
    expect(
      upcastToNewest({ name: 'loyalty.member.merged.v-1', data }, { upcasters, isNewest: isSourceEventName }),
    ).toEqual({
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
    expect(upcastToNewest({ name: 'a', data: {} }, { upcasters: circle, isNewest: isSourceEventName })).toBeNull();
  });

  it('leads a first version to a second one: the till\u2019s total becomes net and tax', () => {
    const first = 'loyalty.purchase.completed.v1';
    const second = 'loyalty.purchase.completed.v2';
    interface Total {
      readonly total: { readonly minor: number; readonly currency: string };
    }
    const toSecond: Upcaster = {
      to: second,
      upcast: (data) => {
        const { total, ...rest } = data as Total;
        return { ...rest, net: total, tax: { minor: 0, currency: total.currency } };
      },
    };
    const isNewest = (name: string): name is typeof second => name === second;
    const versions = { upcasters: new Map([[first, toSecond]]), isNewest };
    const sent = Object.freeze({ ...SOURCE_EVENT_SAMPLES[first] });
    const { total, ...rest } = sent;
    expect(upcastToNewest({ name: first, data: sent }, versions)).toEqual({
      name: second,
      data: { ...rest, net: total, tax: { minor: 0, currency: 'EUR' } },
    });
    const newest = { name: second, data: { net: 1 } };
    expect(upcastToNewest(newest, versions)).toEqual(newest);
  });
});
