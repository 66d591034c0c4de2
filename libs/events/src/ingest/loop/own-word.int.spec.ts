import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { Till, waysToSend } from '../testing/till.js';

let till: Till;

/** Before the broker's timestamp: nothing happened after that. */
const at = (time: string): object => ({ time: `2025-11-20T${time}:00Z` });

const open = async (eventsMay: string): Promise<void> => {
  till = await Till.open(testPrograms(['eventsMay: { erase: true, merge: true }', `eventsMay: ${eventsMay}`]));
};

afterEach(() => till.close());

const enrolment = (memberId = 'ada', time = '08:00'): EventSketch => ({
  ...{ id: `e-${memberId}-${time}`, name: 'loyalty.member.enrolled.v1', frame: at(time) },
  data: { memberId },
});
const sale = (memberId = 'ada', time = '09:00'): EventSketch => ({
  ...{ id: `s-${memberId}-${time}`, name: 'loyalty.purchase.completed.v1', frame: at(time) },
  data: { memberId, purchaseId: `B-${memberId}-${time}` },
});
const leaving = (memberId = 'ada', scope = 'program', erase = true): EventSketch => ({
  ...{ id: `o-${memberId}`, name: 'loyalty.member.opted-out.v1', frame: at('08:30') },
  data: { memberId, scope, erase },
});
const merge = (absorbed: readonly string[], into = 'ada', name = 'merged'): EventSketch => ({
  id: `m-${into}-${absorbed.join('-')}-${name}`,
  name: `loyalty.member.${name as 'merged'}.v1`,
  frame: at('08:30'),
  data: { memberId: into, absorbed },
});

interface Row {
  readonly line: string;
}
const audit = async (): Promise<string[]> => {
  const text = `
SELECT concat_ws(' ', a.actor, a.action, m.member_id, a.detail->>'program', a.detail->>'members', a.detail->>'topic') AS line
FROM operator_action a LEFT JOIN member m USING (lane_id) WHERE a.action LIKE 'event.%' ORDER BY a.action_id`;
  return (await till.database.execute<Row>({ name: 'spec audit', text })).rows.map(({ line }) => line);
};
const erasures = async (): Promise<number> => {
  const text = `SELECT count(*)::int AS count FROM member WHERE erased_seq > 0`;
  return (await till.database.execute<{ count: number }>({ name: 'spec erased', text })).rows[0]?.count ?? 0;
};
const mergedMembers = async (): Promise<number> => {
  const text = 'SELECT count(*)::int AS count FROM member WHERE merged_into IS NOT NULL';
  return (await till.database.execute<{ count: number }>({ name: 'spec merged', text })).rows[0]?.count ?? 0;
};
const mayNotErase = 'not-permitted: data.erase: no event of this program may erase (eventsMay.erase): an admin decides';

describe.each(waysToSend)('where events may not erase, %s', (way) => {
  beforeEach(() => open('{}'));
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('an erasure waits for a person, and the opt-out in it binds at once', async () => {
    expect(await told(enrolment(), leaving(), sale())).toEqual(['recorded', 'not-permitted', 'recorded']);
    expect(await erasures()).toBe(0);
    expect(await till.setAside()).toEqual([mayNotErase]);
    expect((await till.intents('ada')).at(-1)).toMatch(/parked not-a-member$/);
    const optOuts = (await till.commands('ada')).map((command) =>
      command && 'content' in command ? command.content.passdata?.['optOut'] : undefined,
    );
    expect(optOuts).toContain(true);
    expect(await audit()).toEqual([]);
  });

  it.each(['sms', 'email'])('nothing is sent after one that withdraws %s alone, either', async (scope) => {
    expect(await told(enrolment(), leaving('ada', scope), sale())).toEqual(['recorded', 'not-permitted', 'recorded']);
    expect((await till.intents('ada')).at(-1)).toMatch(/parked not-a-member$/);
  });

  it('told again it is the same, and stands there once', async () => {
    await told(enrolment(), leaving());
    expect(await told(leaving(), { ...leaving(), frame: at('08:30') })).toEqual([
      ...['duplicate-event', 'duplicate-event'],
    ]);
    expect(await till.setAside()).toHaveLength(1);
  });

  it('taken in by a person it erases, once', async () => {
    await told(enrolment(), leaving());
    expect(await till.takesIn()).toEqual(['done']);
    expect(await erasures()).toBe(1);
    expect(await told(leaving())).toEqual(['duplicate-event']);
    expect(await till.takesIn()).toEqual([]);
    expect(await audit()).toEqual([]);
  });

  it('given up by a person it stays an opt-out', async () => {
    await told(enrolment(), leaving());
    await till.givesUpFirst();
    expect(await erasures()).toBe(0);
    expect(await told(sale('ada', '09:10'))).toEqual(['recorded']);
    expect((await till.intents('ada')).at(-1)).toMatch(/parked not-a-member$/);
  });
});

describe.each(waysToSend)('where events may not merge, %s', (way) => {
  beforeEach(() => open('{ erase: true }'));
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it.each(['merged', 'unmerged'])('one that says %s changes nothing, and waits for a person', async (name) => {
    expect(await told(enrolment(), enrolment('old'), merge(['old'], 'ada', name))).toEqual([
      ...['recorded', 'recorded', 'not-permitted'],
    ]);
    expect(await mergedMembers()).toBe(0);
    expect(await till.takesIn()).toEqual(['done']);
    expect(await mergedMembers()).toBe(name === 'merged' ? 1 : 0);
  });
});

describe.each(waysToSend)('what events may do, %s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('stands in the audit, with the source as who did it', async () => {
    await open('{ erase: true, merge: true }');
    await told(enrolment(), enrolment('bob'), leaving('bob'), merge(['old']), merge(['old'], 'ada', 'unmerged'));
    const source = '/pos/berlin-07/till-3';
    expect((await audit()).map((line) => line.replace(/event\.erase \S+/, 'event.erase bob'))).toEqual([
      `${source} event.erase bob coffee-club 1 loyalty.purchases`,
      `${source} event.merge ada coffee-club 1 loyalty.purchases`,
      `${source} event.unmerge ada coffee-club 1 loyalty.purchases`,
    ]);
  });

  it('is limited by the hour: what is beyond waits for a person, and an opt-out binds all the same', async () => {
    await open('{ erase: true, merge: true, perHour: 2 }');
    const three = ['a', 'b', 'c'];
    await told(...three.map((id) => enrolment(id)));
    expect(await told(...three.map((id) => leaving(id)), leaving('a'), sale('c'))).toEqual([
      ...['recorded', 'recorded', 'not-permitted', 'duplicate-event', 'recorded'],
    ]);
    expect(await erasures()).toBe(2);
    expect((await till.intents('c')).at(-1)).toMatch(/parked not-a-member$/);
    expect(await told(merge(['x']))).toEqual(['not-permitted']);
    const beyond = expect.stringContaining('(eventsMay.perHour: 2): an admin decides') as string;
    expect(await till.setAside()).toEqual([beyond, beyond]);
    expect(await till.takesIn()).toEqual(['done', 'done']);
    expect(await erasures()).toBe(3);
  });

  it('counts each member that a merge names', async () => {
    await open('{ merge: true, perHour: 3 }');
    expect(await told(merge(['1', '2']), merge(['3', '4']), merge(['5']))).toEqual([
      ...['recorded', 'not-permitted', 'recorded'],
    ]);
  });
});

it('two that count at the same time do not pass the limit together', async () => {
  await open('{ erase: true, perHour: 3 }');
  const [ones, others] = [
    ['a', 'b'],
    ['c', 'd'],
  ] as const;
  await till.sends(...[...ones, ...others].map((id) => enrolment(id)));
  const results = await Promise.all([
    till.sendsTo(
      0,
      ones.map((id) => leaving(id)),
    ),
    till.sendsTo(
      1,
      others.map((id) => leaving(id)),
    ),
  ]);
  expect(results.flat().filter((result) => result === 'recorded')).toHaveLength(3);
  expect(await erasures()).toBe(3);
});
