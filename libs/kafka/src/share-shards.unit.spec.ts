import { shareShards } from './share-shards.js';
import type { ShardClaim } from './share-shards.js';

const claimOf = (place: string, partitions: readonly number[], epoch = 1): ShardClaim => ({
  ...{ shop: 'coffee', place, epoch, partitions, count: 4 },
});

const member = (memberId: string, claim: ShardClaim | null) => ({ memberId, claim });

const four = [0, 1, 2, 3];
const topics = new Map([
  ['members', four],
  ['purchases', four],
]);

const share = (...members: ReturnType<typeof member>[]) => {
  const { assigned, unread } = shareShards(members, topics);
  return { assigned: Object.fromEntries(assigned), unread };
};

const [first, second] = [claimOf('1/5', [0, 1]), claimOf('2/5', [2, 3])];

describe('the partitions of a group of shards', () => {
  it('go to members whose database owns them, all topics alike', () => {
    expect(share(member('a', first), member('b', second))).toEqual({
      assigned: { a: { members: [0, 1], purchases: [0, 1] }, b: { members: [2, 3], purchases: [2, 3] } },
      unread: [],
    });
  });

  it('are shared by the members of one database', () => {
    const { assigned } = share(member('a', first), member('c', first), member('b', second));
    expect(assigned).toEqual({
      ...{ a: { members: [0], purchases: [0] }, c: { members: [1], purchases: [1] } },
      b: { members: [2, 3], purchases: [2, 3] },
    });
  });

  it('go to nobody where no database is there that owns them', () => {
    const { assigned, unread } = share(member('a', first));
    expect(assigned).toEqual({ a: { members: [0, 1], purchases: [0, 1] } });
    expect(unread).toEqual(
      ['members', 'purchases'].flatMap((topic) => [2, 3].map((partition) => ({ topic, partition, reason: 'unowned' }))),
    );
  });

  it('go to nobody where two databases say that they own them, whichever has the higher epoch', () => {
    const { assigned, unread } = share(member('a', first), member('b', claimOf('2/5', [1, 2, 3], 7)));
    expect(assigned).toEqual({ a: { members: [0], purchases: [0] }, b: { members: [2, 3], purchases: [2, 3] } });
    expect(unread).toEqual([
      { topic: 'members', partition: 1, reason: 'contested' },
      { topic: 'purchases', partition: 1, reason: 'contested' },
    ]);
  });

  it('are none of a member who was there before its database got another epoch, nor of one who says nothing', () => {
    const { assigned } = share(member('a', first), member('b', claimOf('1/5', [0], 2)), member('c', null));
    expect(assigned).toEqual({ a: {}, b: { members: [0], purchases: [0] }, c: {} });
  });

  it('go to nobody of a topic that has another number of them', () => {
    const uneven = shareShards([member('a', claimOf('1/5', four))], new Map([...topics, ['rewards', [0, 1, 2, 3, 4]]]));
    expect(uneven.unread.map(({ topic, reason }) => `${topic} ${reason}`)).toEqual(Array(5).fill('rewards uneven'));
    expect(uneven.assigned.get('a')).toEqual({ members: four, purchases: four });
  });
});
