import { planPartitions } from './keep-partitions.js';

const sizes = { ahead: 2, positions: 100 };

describe('partitions of the events', () => {
  it.each([
    [0, 200, ['intent_event_p3']],
    [99, 200, ['intent_event_p3']],
    [100, 300, ['intent_event_p4']],
    [250, 300, ['intent_event_p4', 'intent_event_p5']],
    [250, 500, []],
  ])('are made ahead of position %d where they end at %d: %j', (lastPosition, end, names) => {
    const plan = planPartitions({ end, lastPosition, hasUnpartitioned: false }, sizes);
    expect(plan.adopt).toBeNull();
    expect(plan.create.map(({ name }) => name)).toEqual(names);
  });

  it('follow each other without a gap', () => {
    const { create } = planPartitions({ end: 200, lastPosition: 450, hasUnpartitioned: false }, sizes);
    expect(create[0]?.from).toBe(200);
    create.slice(1).forEach(({ from }, index) => {
      expect(from).toBe(create[index]?.to);
    });
    expect(create.at(-1)?.to).toBe(700);
  });

  it('begin with the strays, which get room for a whole partition more', () => {
    const { adopt, create } = planPartitions({ end: 200, lastPosition: 399, hasUnpartitioned: true }, sizes);
    expect(adopt).toEqual({ name: 'intent_event_p5', from: 200, to: 500 });
    expect(create).toEqual([{ name: 'intent_event_p6', from: 500, to: 600 }]);
  });
});
