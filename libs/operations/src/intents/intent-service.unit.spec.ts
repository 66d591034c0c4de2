import { cursorOf, positionOf } from './intent-service.js';

describe('a cursor', () => {
  it('comes back as the position that it was', () => {
    const position = { recordedAt: 1_795_000_000_123, laneId: 9_007_199_254, seq: 17 };
    expect(positionOf(cursorOf(position))).toEqual(position);
  });

  it.each(['', 'x', cursorOf({ recordedAt: -1, laneId: 1, seq: 1 }), Buffer.from('1.2').toString('base64url')])(
    'is refused where it was never one: %s',
    (cursor) => {
      expect(positionOf(cursor)).toBeNull();
    },
  );
});
