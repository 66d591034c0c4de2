import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const ada = { firstName: 'Ada', lastName: 'Old', email: 'ada@example.org' };
const bob = { firstName: 'Bob', lastName: 'New', email: 'bob@example.org' };

let events = 0;

const enrolment = (person: object, time = '08:00', memberId = 'm1'): EventSketch => ({
  ...{ id: `e-${(events += 1)}`, name: 'loyalty.member.enrolled.v1', frame: at(time) },
  data: { memberId, person },
});

const update = (changed: readonly string[], person: object, time = '08:30'): EventSketch => ({
  ...{ id: `u-${(events += 1)}`, name: 'loyalty.member.updated.v1', frame: at(time) },
  data: { memberId: 'm1', changed, person },
});

const leaving = (erase: boolean, time = '08:30'): EventSketch => ({
  ...{ id: `o-${(events += 1)}`, name: 'loyalty.member.opted-out.v1', frame: at(time) },
  data: { memberId: 'm1', scope: 'program', erase },
});

const owed = async (): Promise<number> => (await till.intents()).length;

describe.each(waysToSend)('%s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('an enrolment of somebody else under a number is set aside, and leaves the card as it is', async () => {
    expect(await told(enrolment(ada), enrolment(bob, '09:00'))).toEqual(['recorded', 'conflict']);
    expect(await owed()).toBe(1);
    expect(await till.setAside()).toEqual([
      'conflict: data.person: another name and another e-mail address than the member has: somebody else may have the number now',
    ]);
  });

  it('so is one after the first was delivered, each time', async () => {
    await told(enrolment(ada));
    await till.delivers();
    const outcomes = await told(enrolment(bob, '09:00'), enrolment(bob, '09:10'), enrolment(ada, '09:20'));
    expect(outcomes.slice(0, 2)).toEqual(['conflict', 'conflict']);
    expect(outcomes[2]).toBe('duplicate-business-key');
  });

  it.each<[string, object]>([
    ['a marriage', { ...ada, lastName: 'New' }],
    ['a new address', { ...ada, email: 'ada@new.example' }],
    ['the same in another spelling', { firstName: ' ADA', lastName: 'old', email: 'Ada@Example.org', phone: '+1' }],
    ['an enrolment that does not say', { phone: '+1' }],
  ])('%s is no conflict', async (_of, person) => {
    expect(await told(enrolment(ada), enrolment(person, '09:00'))).toEqual(['recorded', 'recorded']);
  });

  it('the newest that was said of the member counts, by updates, too', async () => {
    const changed = { ...ada, firstName: 'Bob', email: 'bob@example.org' };
    const outcomes = await told(enrolment(ada), update(['person'], changed), enrolment(bob, '09:00'));
    expect(outcomes).toEqual(['recorded', 'recorded', 'recorded']);
    expect(await told(enrolment(ada, '09:30'))).toEqual(['conflict']);
  });

  it('an older enrolment sets nothing aside', async () => {
    expect(await told(enrolment(ada), enrolment(bob, '07:00'))).not.toContain('conflict');
  });

  it('what an update has cleared is no difference', async () => {
    const cleared = update(['person.email'], { email: null });
    expect(await told(enrolment(ada), cleared, enrolment(bob, '09:00'))).not.toContain('conflict');
  });

  it.each([false, true])('who enrols after a leaving (erased: %s) is somebody new', async (erase) => {
    expect(await told(enrolment(ada), leaving(erase), enrolment(bob, '09:00'))).not.toContain('conflict');
    expect(await told(enrolment(ada, '09:30'))).toEqual(['conflict']);
  });
});

it('a person takes it in: then it is an update of the card, and what is said next is compared with it', async () => {
  await till.sends(enrolment(ada));
  await till.delivers();
  await till.sends(enrolment(bob, '09:00'));
  expect(await till.takesIn()).toEqual(['done']);
  expect(await till.intents()).toEqual(['m1 delivered', 'm1 pending']);
  expect(await till.sends(enrolment({ ...ada, email: 'other@example.org' }, '09:30'))).toEqual(['conflict']);
});

it('nothing of a person is kept in the clear, and their digests go with their erasure', async () => {
  const text = `SELECT encode(person_macs, 'hex') AS line FROM member`;
  const macs = async (): Promise<(string | null)[]> =>
    (await till.database.execute<{ line: string | null }>({ name: 'spec macs', text })).rows.map(({ line }) => line);
  await till.sends(enrolment(ada), enrolment(ada, '08:00', 'm2'));
  const [first, second] = await macs();
  expect([first?.length, second?.length]).toEqual([48, 48]);
  expect(first).not.toBe(second);
  await till.sends(leaving(true));
  expect((await macs()).toSorted()).toEqual([second, null].toSorted());
});
