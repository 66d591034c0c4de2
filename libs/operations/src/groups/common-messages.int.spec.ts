import type { GroupView } from '#contracts';
import { IngestKeys, MemberKeys } from '#intents';
import { Clock, Database } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { Actor } from '../access/operator.js';
import { JobFixture } from '../testing/job-fixture.js';
import { fingerprintMac, refusePurchases } from '../testing/refused-purchases.js';
import { personalOf, program, purchase } from '../testing/sample-records.js';
import { servicesOver } from '../testing/ports.js';
import { GroupsController } from './groups.controller.js';

let test: TestDatabase;
let fixture: JobFixture;
let groups: GroupsController;
let purchases = 0;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
  const { database, clock, keys } = fixture;
  const services = await servicesOver([
    [Database, database],
    [Clock, clock],
    [MemberKeys, keys],
    [IngestKeys, { mac: fingerprintMac }],
  ]);
  groups = services.get(GroupsController);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const nameOf = (index: number): string => `m${index}`;

/** So many members have a purchase each, refused in the words that `say` gives for them. */
async function refuse(from: number, count: number, say: (memberId: string) => string): Promise<void> {
  const members = Array.from({ length: count }, (_, index) => nameOf(from + index));
  purchases += 1;
  const purchaseOf = (memberId: string): string => `p-${memberId}-${purchases}`;
  const byMember = new Map(members.map((memberId) => [memberId, purchase(purchaseOf(memberId), memberId)]));
  await refusePurchases(fixture, byMember, say);
}

const listed = async (): Promise<GroupView[]> => (await groups.list({ programs: null } as Actor)).items;

it('what four members were told stays masked, what five were told is shown without their values', async () => {
  const say = (memberId: string): string => `attributes.campaign: must be a string, not "${personalOf(memberId)}"`;
  await refuse(0, 4, say);
  expect(await listed()).toMatchObject([{ members: 4, wording: null }]);
  await refuse(4, 1, say);
  expect(await listed()).toMatchObject([{ members: 5, wording: 'attributes.campaign: must be a string, not #' }]);
});

it('another person’s name, of each member another one, is shown of nobody', async () => {
  const others = ['Ada', 'Bo', 'Cleo', 'Dirk', 'Eva', 'Finn'];
  await refuse(0, others.length, (memberId) => `this card is of ${others[Number(memberId.slice(1))] ?? '?'} van Loon`);
  const items = await listed();
  expect(items.map(({ wording }) => wording)).toEqual(others.map(() => null));
  expect(JSON.stringify(items)).not.toMatch(/van loon/i);
});

it('many purchases of one member are one member', async () => {
  for (let round = 0; round < 6; round += 1) await refuse(0, 1, () => 'the brand is closed');
  expect(await listed()).toMatchObject([{ intents: 6, members: 1, wording: null }]);
});

it('shows no words but those that the digest was made of: what was kept may be of another one', async () => {
  await refuse(0, 5, () => 'the brand is closed');
  await fixture.sql(`UPDATE intent_standing SET fingerprint = 'f' || substr(fingerprint, 2) || 'x'`);
  expect(await listed()).toMatchObject([{ members: 5, wording: null }]);
});

it('says of which stores and sources the newest of a group are', async () => {
  await refuse(0, 5, () => 'the brand is closed');
  const [group] = await listed();
  expect(group).toMatchObject({
    program,
    common: {
      intents: 5,
      stores: [{ name: 'berlin-07', intents: 5 }],
      sources: [{ name: '/till', intents: 5 }],
    },
  });
});
