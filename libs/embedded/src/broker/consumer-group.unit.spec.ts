import { ConsumerGroup, type JoinRequest } from './consumer-group.js';
import { errorCode } from './wire.js';

const newcomer = (clientId: string, protocol = 'roundrobin'): JoinRequest => ({
  memberId: '',
  clientId,
  sessionTimeoutMs: 1_000,
  rebalanceTimeoutMs: 3_000,
  protocolType: 'consumer',
  protocols: [{ name: protocol, metadata: Buffer.from(clientId) }],
});

const sync = (group: ConsumerGroup, memberId: string, assignments: readonly [string, Buffer][] = []) =>
  group.sync({ memberId, generation: group.generation, assignments: new Map(assignments) });

describe('a consumer group', () => {
  let group: ConsumerGroup;

  beforeEach(() => {
    jest.useFakeTimers();
    group = new ConsumerGroup();
  });

  afterEach(() => {
    group.close();
    jest.useRealTimers();
  });

  /** Two members in one stable generation. */
  const pair = async (): Promise<{ first: string; second: string }> => {
    const { memberId: first } = await group.join(newcomer('first'));
    const joining = group.join(newcomer('second'));
    const again = await group.join({ ...newcomer('first'), memberId: first });
    const { memberId: second } = await joining;
    const following = sync(group, second);
    await sync(group, again.memberId, [
      [first, Buffer.from('0,1')],
      [second, Buffer.from('2,3')],
    ]);
    await following;
    return { first, second };
  };

  it('tells only the leader who is there, and each what it was given', async () => {
    const { memberId: first } = await group.join(newcomer('first'));
    const joining = group.join(newcomer('second'));
    const leader = await group.join({ ...newcomer('first'), memberId: first });
    const follower = await joining;
    expect(leader.members.map(({ memberId }) => memberId)).toEqual([first, follower.memberId]);
    expect(follower.members).toEqual([]);
    expect(follower).toMatchObject({ leader: first, generation: leader.generation, protocol: 'roundrobin' });

    const waiting = sync(group, follower.memberId);
    await sync(group, first, [[follower.memberId, Buffer.from('all')]]);
    expect((await waiting).assignment.toString()).toBe('all');
    expect(group.state).toBe('Stable');
  });

  it('calls everybody to join again when somebody leaves', async () => {
    const { first, second } = await pair();
    expect(group.heartbeat(first, group.generation)).toBe(errorCode.none);
    group.leave(second);
    expect(group.heartbeat(first, group.generation)).toBe(errorCode.rebalanceInProgress);
    const { members } = await group.join({ ...newcomer('first'), memberId: first });
    expect(members).toHaveLength(1);
  });

  it('removes who is silent for its session', async () => {
    const { first, second } = await pair();
    jest.advanceTimersByTime(900);
    group.heartbeat(first, group.generation);
    jest.advanceTimersByTime(200);
    expect([...group.members.keys()]).toEqual([first]);
    expect(group.heartbeat(second, group.generation)).toBe(errorCode.unknownMemberId);
  });

  it('goes on without who does not join again in time', async () => {
    const { first } = await pair();
    const third = group.join(newcomer('third'));
    group.heartbeat(first, group.generation);
    jest.advanceTimersByTime(3_000);
    const { members, leader, memberId } = await third;
    expect(leader).toBe(memberId);
    expect(members).toHaveLength(1);
  });

  it('answers a waiting follower when the group rebalances before the leader has assigned', async () => {
    const { memberId: first } = await group.join(newcomer('first'));
    const joining = group.join(newcomer('second'));
    await group.join({ ...newcomer('first'), memberId: first });
    const waiting = sync(group, (await joining).memberId);
    group.leave(first);
    expect((await waiting).error).toBe(errorCode.rebalanceInProgress);
  });

  it('regression: has no protocol once all have left, as Kafka says of an empty group', async () => {
    const { first, second } = await pair();
    expect(group.protocol).toBe('roundrobin');
    group.leave(first);
    group.leave(second);
    expect([group.state, group.protocol]).toEqual(['Empty', '']);
  });

  it('refuses another generation, an unknown member and another protocol', async () => {
    const { first } = await pair();
    expect(group.heartbeat(first, group.generation - 1)).toBe(errorCode.illegalGeneration);
    expect((await sync(group, 'stranger')).error).toBe(errorCode.unknownMemberId);
    expect((await group.join(newcomer('third', 'sticky'))).error).toBe(errorCode.inconsistentGroupProtocol);
  });
});
