import { SlotMap } from './slot-map.js';

it('does as a map does, whatever comes and goes', () => {
  const [slots, map] = [new SlotMap<{ readonly value: number }>(), new Map<number, { readonly value: number }>()];
  let random = 1;
  for (let value = 0; value < 5_000; value += 1) {
    random = (random * 48_271) % 2_147_483_647;
    const key = random % 40;
    if (random % 3 === 0) {
      expect(slots.take(key)).toBe(map.get(key));
      map.delete(key);
    } else {
      slots.set(key, { value });
      map.set(key, slots.get(key)!);
    }
    expect(slots.size).toBe(map.size);
    expect(slots.entries()).toEqual([...map]);
  }
});
