import type { PauseList, WaitingView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { compileLoyaltyd, Loyaltyd } from './loyaltyd.js';
import { atPartner } from './many-incident.js';
import { membersNamed, oneStorePrograms, sickFactor, soldSick, soldWell } from './one-store-incident.js';
import { awaitReports } from './store.js';
import { enrolled, produce } from './traffic.js';

/** So few refused members make a hold. */
const sameRefusals = 5;
const [sick, well, later, laterWell] = [
  membersNamed('sick', 30),
  membersNamed('well', 40),
  membersNamed('later', 12),
  membersNamed('laterwell', 9),
] as const;
const decisionsMax = 4;
const soon = { timeoutMs: 240_000 };

describe('one store refused, by the command line', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: Loyaltyd;
  let decisions = 0;

  beforeAll(async () => {
    harness = await openHarness(oneStorePrograms(sameRefusals));
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    await compileLoyaltyd();
    operator = new Loyaltyd(daemon, 'operator');
    const members = [...sick, ...well, ...later, ...laterWell];
    await produce(harness.broker, harness.topics, members.map(enrolled));
    await awaitCount('status=delivered&operation=issue', members.length);
  }, 300_000);

  afterAll(async () => {
    await harness.close();
  });

  const read = async <T>(path: string): Promise<T> => (await new ApiClient(daemon, 'viewer').get(path)).body as T;

  async function awaitCount(search: string, count: number): Promise<void> {
    const isThere = async (): Promise<boolean> =>
      (await read<{ readonly count: number }>(`/intents/count?${search}`)).count === count;
    await waitUntil(isThere, { what: `${count} of ${search}`, ...soon });
  }

  /** A command that somebody has to think about. */
  async function decide(...words: readonly string[]): ReturnType<Loyaltyd['run']> {
    decisions += 1;
    return operator.run(...words, '--reason', 'the till of Lisboa sends numbers');
  }

  const waits = async (): Promise<WaitingView> => read('/pauses/waiting?program=coffee-club&operation=transaction');
  const posted = async (): Promise<string[]> => atPartner(harness.sandboxUrl, 'transaction');
  const sales = ['--program', 'coffee-club', '--operation', 'transaction'];

  it('delivery holds that store alone, and never all: the others are served throughout', async () => {
    const mixed = sick.flatMap((memberId, index) => [
      soldSick(memberId),
      ...well.slice(index, index + 1).map(soldWell),
    ]);
    await produce(harness.broker, harness.topics, [...mixed, ...well.slice(sick.length).map(soldWell)]);
    await awaitCount('status=delivered&operation=transaction', well.length);
    await waitUntil(async () => (await read<PauseList>('/pauses')).items.length > 0, { what: 'the hold', ...soon });
    expect(await queryOnce(harness.database.url, 'SELECT DISTINCT factor, automatic FROM pause')).toEqual([
      { factor: sickFactor, automatic: true },
    ]);
    expect(await posted()).toEqual(well.toSorted());
  });

  it('of a pause of all purchases that store stays held until a time, and the others go on, in few decisions', async () => {
    // Somebody has stopped all of them, as one does who knows no better.
    expect(await operator.run('pause', ...sales, '--reason', 'something is wrong')).toMatchObject({ code: 0 });
    await awaitReports(harness.database.url);
    await produce(harness.broker, harness.topics, [...later.map(soldSick), ...laterWell.map(soldWell)]);
    await waitUntil(
      async () =>
        (await waits()).factors.some(
          ({ factor, waiting }) => factor === 'store:hamburg' && waiting === laterWell.length,
        ),
      { what: 'what was sold to wait', ...soon },
    );
    const looked = await decide('resume', ...sales, '--dry-run', '-o', 'json');
    const { factors } = JSON.parse(looked.stdout) as WaitingView;
    expect(factors.find(({ factor }) => factor === sickFactor)?.refused).toBeGreaterThan(0);
    expect(factors.find(({ factor }) => factor === 'store:hamburg')?.refused).toBe(0);
    const done = await decide('resume', ...sales, '--but', sickFactor, '--until', '2h');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(
      /^resumed: transaction of coffee-club\nheld instead: transaction \(store:lisboa-colombo\) of coffee-club, until \S+\n$/,
    );
    await awaitCount('status=delivered&operation=transaction', well.length + laterWell.length);
    const { items } = await read<PauseList>('/pauses');
    expect(items).toMatchObject([{ operation: 'transaction', factor: sickFactor, automatic: false }]);
    expect(await posted()).toEqual([...well, ...laterWell].toSorted());
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
  });

  it('an end that is reached lets it go on by itself, and the audit names nobody for it', async () => {
    await operator.run('resume', ...sales, '--factor', sickFactor, '--reason', 'the till is mended');
    await operator.run(
      'pause',
      '--program',
      'coffee-club',
      '--factor',
      'member:well-0',
      '--until',
      '2s',
      '--reason',
      'a look',
    );
    await waitUntil(
      async () => (await read<PauseList>('/pauses')).items.every(({ factor }) => factor !== 'member:well-0'),
      {
        what: 'the end of the pause',
        ...soon,
      },
    );
    const ended = async (): Promise<unknown[]> =>
      queryOnce(
        harness.database.url,
        `SELECT actor, detail->>'factor' AS factor, lane_id IS NOT NULL AS "isOfLane" FROM operator_action
         WHERE action = 'pause.lift' AND actor = 'loyaltyd'`,
      );
    await waitUntil(async () => (await ended()).length > 0, { what: 'the audit', ...soon });
    expect(await ended()).toEqual([{ actor: 'loyaltyd', factor: 'member', isOfLane: true }]);
  });
});
