import { hash } from 'node:crypto';

import type { Database, SqlSession } from '#platform';

import { auditAccess, recordAction } from '../operator/operator-action.js';
import { SettableClock } from '../testing/outcome-reader.js';
import type { TestStore } from '../testing/test-store.js';
import { FlakyDatabase, openTestStore, testStore } from '../testing/test-store.js';
import { chainActions, ChainKeeper, chainStart, newestLinks, readChain, readChainState } from './audit-chain.js';
import type { ChainHead } from './audit-link.js';
import { ChainCheck, chainForm, coveredColumns, headText, linkDigest } from './audit-link.js';

/** Time passes where it is told to. */
class SteadyClock extends SettableClock {
  monotonicMs = 0;

  override monotonic(): number {
    return this.monotonicMs;
  }
}

const at = Date.parse('2026-11-26T09:00:00.123Z');

let store: TestStore;

beforeEach(async () => {
  store = await testStore();
});

afterEach(() => store.close());

async function act(...reasons: readonly string[]): Promise<void> {
  for (const reason of reasons) {
    const audit = { at, actor: 'ann', address: '10.0.0.1', reason };
    const place = { laneId: 7, seq: 1 };
    await auditAccess(store.database, { audit, action: 'intent.replay', place, detail: { a: 1, list: ['x', null] } });
  }
}

async function chainAll(database: Database = store.database): Promise<void> {
  for (let isDone = false; !isDone;) isDone = (await chainActions(database))?.isFull === false;
}

/** Reads the chain from its start in small pages, as the export does. */
async function look(noted: ChainHead | null = null, limit = 3): Promise<ChainCheck> {
  const check = new ChainCheck({ noted });
  for (let place: typeof chainStart | null = chainStart; place !== null;) {
    const { links, strays, next } = await readChain(store.database, place, limit);
    for (const link of links) check.add(link);
    for (const stray of strays) check.addStray(stray);
    place = next;
  }
  check.end();
  return check;
}

async function findings(noted: ChainHead | null = null): Promise<string[]> {
  return (await look(noted)).findings;
}

/** As the tables' owner, whom no trigger stops. */
async function tamper(...texts: readonly string[]): Promise<void> {
  const tables = ['operator_action', 'audit_chain'];
  for (const table of tables) await store.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  for (const text of texts) await store.sql(text);
  for (const table of tables) await store.sql(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

const numbers = async (): Promise<number[]> =>
  (await store.sql<{ no: number }>('SELECT no FROM audit_chain ORDER BY no')).map(({ no }) => no);

const changed = (no: number): string => `action ${no} is not as link ${no} covers it: one of them was changed`;

describe('the chain of the audit', () => {
  it('begins at its start and has a link for each action, in their order', async () => {
    expect(await findings()).toEqual([]);
    await act('one', 'two', 'three', 'four');
    expect(await readChainState(store.database)).toMatchObject({ head: { no: 0 }, waiting: 4, waitingSince: at });
    await chainAll();
    expect(await readChainState(store.database)).toMatchObject({ head: { no: 4 }, waiting: 0, waitingSince: null });
    const check = await look();
    expect(check).toMatchObject({ findings: [], problems: 0, startedAfter: '0', head: { no: 4 } });
    expect(await store.sql('SELECT no, action_id AS id FROM audit_chain WHERE no > 0 ORDER BY no')).toEqual(
      [1, 2, 3, 4].map((no) => ({ no, id: no })),
    );
  });

  it('covers every column of an action', async () => {
    const rows = await store.sql<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'operator_action'`,
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(coveredColumns(chainForm).toSorted());
    await act('one');
    await chainAll();
    const { links } = await readChain(store.database, chainStart, 10);
    expect(links[1]?.row).toEqual({
      ...{ action_id: '1', at: '2026-11-26T09:00:00.123', actor: 'ann', address: '10.0.0.1', action: 'intent.replay' },
      ...{ reason: 'one', lane_id: '7', seq: '1', detail: '{"a": 1, "list": ["x", null]}' },
      ...{ subject: null, request_id: null },
    });
  });

  // The value was computed by another program: releases to come must compute the same.
  it('has digests that are the same in every release', () => {
    const row = {
      ...{ action_id: '1', at: '2026-11-26T09:00:00.123456', actor: 'ann', address: '10.0.0.1' },
      ...{ action: 'intent.replay', reason: 'the causé is "mended"', lane_id: '7', seq: '2' },
      ...{ detail: '{"a": 1, "bb": [true, null]}', subject: 'https://id.example.org 1f', request_id: 'r-1' },
    };
    const start = hash('sha256', 'loyaltyd audit, after action 0');
    expect(linkDigest(start, { no: 1, form: 1, row })).toBe(
      '47a2685bdde9b40c85deba5a7aa7967bfa27a6f3601e4158a8e3c1feb920f9fd',
    );
  });

  it('is the same whatever a session is set to', async () => {
    await act('one', 'two');
    await chainAll();
    const url = new URL(store.url);
    url.searchParams.set('options', '-c TimeZone=Asia/Tokyo -c DateStyle=German -c bytea_output=escape');
    const elsewhere = await openTestStore(url.href, 2);
    try {
      expect(await elsewhere.sql('SHOW TimeZone')).toEqual([{ TimeZone: 'Asia/Tokyo' }]);
      const [here, there] = [
        await readChain(store.database, chainStart, 9),
        await readChain(elsewhere.database, chainStart, 9),
      ];
      expect(there).toEqual(here);
    } finally {
      await elsewhere.close();
    }
  });

  it('has no link for what was rolled back, and none that is missing for it', async () => {
    await act('one');
    const audit = { at, actor: 'ann', address: null, reason: 'never' };
    const failing = store.database.transaction('fails', async (session) => {
      await recordAction(session, { audit, action: 'intent.cancel', place: null });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await act('three');
    await chainAll();
    expect(await numbers()).toEqual([0, 1, 2]);
    expect(await findings()).toEqual([]);
  });
});

describe('many at once', () => {
  it('leave one dense chain, whoever writes and whoever chains', async () => {
    const [writers, each, daemons] = [8, 25, 4];
    let isWriting = true;
    const chain = async (): Promise<void> => {
      while (isWriting) await chainActions(store.database);
    };
    const chaining = Promise.all(Array.from({ length: daemons }, chain));
    await Promise.all(
      Array.from({ length: writers }, (_, index) => act(...Array.from({ length: each }, () => `writer ${index}`))),
    );
    isWriting = false;
    await chaining;
    await chainAll();
    expect(await numbers()).toEqual(Array.from({ length: writers * each + 1 }, (_, no) => no));
    expect(await store.sql('SELECT DISTINCT action_id FROM audit_chain WHERE no > 0')).toHaveLength(writers * each);
    expect(await findings()).toEqual([]);
  });

  it('daemons do not chain twice: one is at it, the others leave it to that one', async () => {
    await act('one', 'two', 'three');
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<undefined>();
    const { promise: isAtIt, resolve: atIt } = Promise.withResolvers<undefined>();
    const slow: Database = {
      execute: (statement, parameters) => store.database.execute(statement, parameters),
      transaction: (name, work) =>
        store.database.transaction(name, (session) => {
          const query: SqlSession['query'] = async (statement, parameters) => {
            if (statement.name === 'add_audit_links') {
              atIt(undefined);
              await mayGoOn;
            }
            return session.query(statement, parameters);
          };
          return work({ ...session, query });
        }),
    };
    const first = chainActions(slow);
    await isAtIt;
    await act('four');
    expect(await chainActions(store.database)).toBeNull();
    goOn(undefined);
    expect(await first).toMatchObject({ head: { no: 3 } });
    expect(await chainActions(store.database)).toMatchObject({ head: { no: 4 } });
    expect(await numbers()).toEqual([0, 1, 2, 3, 4]);
    expect(await findings()).toEqual([]);
  });

  it('see an action that commits late: it comes later in the chain', async () => {
    const audit = { at, actor: 'bob', address: null, reason: 'slow' };
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<undefined>();
    const { promise: isWritten, resolve: written } = Promise.withResolvers<undefined>();
    const slow = store.database.transaction('slow', async (session) => {
      await recordAction(session, { audit, action: 'intent.cancel', place: null });
      written(undefined);
      await mayCommit;
    });
    await isWritten;
    await act('fast');
    await chainAll();
    expect(await findings()).toEqual([]);
    commit(undefined);
    await slow;
    await chainAll();
    expect(await store.sql('SELECT action_id AS id FROM audit_chain WHERE no > 0 ORDER BY no')).toEqual([
      { id: 2 },
      { id: 1 },
    ]);
    expect(await findings()).toEqual([]);
  });
});

describe('a crash in the middle', () => {
  it.each(['unchained_actions', 'add_audit_links', 'end_wait_for_audit_link'])(
    'at %s loses nothing and chains nothing twice',
    async (statement) => {
      await act('one', 'two', 'three');
      const flaky = new FlakyDatabase(store.database, { statement, kind: 'failed' });
      await expect(chainActions(flaky)).rejects.toThrow();
      expect(flaky.hasFailed).toBe(true);
      expect(await numbers()).toEqual([0]);
      await chainAll();
      expect(await numbers()).toEqual([0, 1, 2, 3]);
      expect(await findings()).toEqual([]);
    },
  );
});

describe('whoever can write the tables', () => {
  let head: ChainHead;

  beforeEach(async () => {
    await act('one', 'two', 'three');
    // A number that nothing has: a writer took it and rolled back.
    await store.sql(`SELECT nextval(pg_get_serial_sequence('operator_action', 'action_id'))`);
    await act('five', 'six', 'seven');
    await chainAll();
    const { head: last } = await readChainState(store.database);
    if (last === null) throw new Error('there is no chain');
    head = last;
    expect(await findings(head)).toEqual([]);
  });

  it('is stopped by triggers while these are on', async () => {
    for (const table of ['operator_action', 'audit_chain']) {
      for (const text of [`UPDATE ${table} SET action_id = DEFAULT`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
        await expect(store.sql(text)).rejects.toThrow();
      }
    }
    expect(await findings(head)).toEqual([]);
  });

  it.each([
    `at = at + interval '1 microsecond'`,
    `at = 'infinity'`,
    `actor = 'bob'`,
    `address = NULL`,
    `action = 'intent.cancel'`,
    `reason = reason || ' '`,
    `lane_id = 8`,
    `seq = NULL`,
    `detail = detail || '{"a": 2}'`,
  ])('and changes an action (%s) is found out: it is named', async (change) => {
    await tamper(`UPDATE operator_action SET ${change} WHERE action_id = 3`);
    expect(await findings()).toEqual([changed(3)]);
  });

  it('and removes an action is found out', async () => {
    await tamper('DELETE FROM operator_action WHERE action_id = 3');
    expect(await findings()).toEqual(['action 3, of link 3, is missing']);
  });

  it('and removes an action with its link is found out', async () => {
    await tamper('DELETE FROM operator_action WHERE action_id = 3', 'DELETE FROM audit_chain WHERE no = 3');
    expect(await findings()).toEqual(['link 3 is missing']);
  });

  it.each([4, -5, 99])('and inserts an action (%i) is found out', async (id) => {
    await tamper(`INSERT INTO operator_action (action_id, at, actor, action, reason) OVERRIDING SYSTEM VALUE
      VALUES (${id}, now(), 'ann', 'member.erase', 'forged')`);
    expect(await findings()).toEqual([
      `action ${id} is in no link and waits for none: loyaltyd did not write it, or its link was removed`,
    ]);
    await chainAll();
    expect(await findings()).toHaveLength(1);
  });

  it('and swaps two actions is found out', async () => {
    await tamper(`UPDATE operator_action a SET reason = b.reason, at = b.at FROM operator_action b
      WHERE (a.action_id, b.action_id) IN ((2, 3), (3, 2))`);
    expect(await findings()).toEqual([changed(2), changed(3)]);
  });

  it('and swaps two links is found out', async () => {
    await tamper(
      'UPDATE audit_chain SET no = 5 - no + 1000 WHERE no IN (2, 3)',
      'UPDATE audit_chain SET no = no - 1000 WHERE no > 1000',
    );
    expect(await findings()).toEqual([
      'action 3 is not as link 2 covers it: one of them was changed',
      'action 2 is not as link 3 covers it: one of them was changed',
      'action 5 is not as link 4 covers it: one of them was changed',
    ]);
  });

  it('and truncates the tail is found out', async () => {
    await tamper('DELETE FROM operator_action WHERE action_id > 5');
    expect(await findings()).toEqual(['action 6, of link 5, is missing', 'action 7, of link 6, is missing']);
    await tamper('DELETE FROM audit_chain WHERE no > 4');
    // Shorter, and sound by itself: only a head that was noted elsewhere shows it.
    expect(await findings()).toEqual([]);
    expect(await findings(head)).toEqual(['the chain ends at link 4: link 6, which was noted, is missing']);
    await act('afterwards', 'more');
    await chainAll();
    expect(await findings(head)).toEqual(['link 6 is not the one that was noted: the chain was written anew']);
  });

  it('and truncates the links alone is found out', async () => {
    await tamper('DELETE FROM audit_chain WHERE no > 4');
    expect(await findings()).toEqual(
      [6, 7].map(
        (id) => `action ${id} is in no link and waits for none: loyaltyd did not write it, or its link was removed`,
      ),
    );
  });

  it('and empties both tables is found out', async () => {
    await tamper('TRUNCATE operator_action', 'TRUNCATE audit_chain');
    expect(await findings()).toEqual(['the chain has no start']);
    await expect(chainActions(store.database)).rejects.toThrow('the chain of the audit has no start');
  });

  it('and moves the start is found out', async () => {
    await tamper('UPDATE audit_chain SET action_id = 2 WHERE no = 0');
    expect(await findings()).toEqual(['link 0, the start, was changed']);
  });

  it('and says that another release has made a link is found out', async () => {
    await tamper(
      `UPDATE operator_action SET reason = 'other' WHERE action_id = 3`,
      'UPDATE audit_chain SET form = 9 WHERE no = 3',
    );
    expect(await findings()).toEqual(['link 3 is of form 9: a newer release made it, or it was changed']);
  });

  it('and removes an action before it has its link is found out', async () => {
    await act('eight');
    await tamper('DELETE FROM operator_action WHERE action_id = 8');
    await chainAll();
    expect(await findings()).toEqual(['action 8 has waited for its link and is missing']);
  });

  it('and computes the whole chain anew is found out by a head that was noted', async () => {
    await tamper(`UPDATE operator_action SET reason = 'other' WHERE action_id = 3`);
    await tamper(
      'DELETE FROM audit_chain WHERE no > 0',
      'INSERT INTO audit_unchained SELECT action_id FROM operator_action',
    );
    await chainAll();
    expect(await findings()).toEqual([]);
    expect(await findings(head)).toEqual(['link 6 is not the one that was noted: the chain was written anew']);
  });

  it('is found out in the newest part alone, as the doctor looks at it', async () => {
    await tamper(`UPDATE operator_action SET reason = 'other' WHERE action_id = 6`);
    const before = await newestLinks(store.database, 3);
    expect(before).toMatchObject({ no: 3, actionId: '3' });
    const check = new ChainCheck({ base: before });
    const { links } = await readChain(store.database, before ?? chainStart, 10);
    for (const link of links) check.add(link);
    expect(check.findings).toEqual(['action 6 is not as link 5 covers it: one of them was changed']);
    expect(await newestLinks(store.database, 6)).toBeNull();
  });
});

describe('a daemon that chains', () => {
  function keeper(): {
    readonly told: string[];
    readonly changes: object[];
    readonly clock: SteadyClock;
    readonly of: ChainKeeper;
  } {
    const [told, changes, clock]: [string[], object[], SteadyClock] = [[], [], new SteadyClock(at)];
    const { database } = store;
    const of = new ChainKeeper({
      ...{ database, clock },
      moved: (head) => void told.push(head),
      changed: (what) => void changes.push(what),
    });
    return { told, changes, clock, of };
  }

  it('tells the head when it has moved, once a minute at most, and the last one at the end', async () => {
    const { told, changes, clock, of } = keeper();
    await act('one');
    expect(await of.step()).toBe(10_000);
    expect(told).toEqual([expect.stringMatching(/^1:[\da-f]{64}$/)]);
    await act('two');
    clock.monotonicMs += 59_999;
    await of.step();
    expect(told).toHaveLength(1);
    clock.monotonicMs += 1;
    await of.step();
    await of.step();
    expect(told.map((head) => head.split(':', 1)[0])).toEqual(['1', '2']);
    await act('three');
    await of.step();
    of.tellLast();
    of.tellLast();
    const { head } = await readChainState(store.database);
    expect(told.slice(2)).toEqual([head === null ? '' : headText(head)]);
    expect(changes).toEqual([]);
  });

  it('goes on at once while more waits', async () => {
    await store.sql(`INSERT INTO operator_action (at, actor, action, reason)
      SELECT now(), 'ann', 'intent.replay', 'many' FROM generate_series(1, 501)`);
    const { of } = keeper();
    expect([await of.step(), await of.step()]).toEqual([0, 10_000]);
    expect(await numbers()).toHaveLength(502);
  });

  it('says at once that the tail it has seen is gone, and once', async () => {
    const { changes, of } = keeper();
    await act('one', 'two');
    await of.step();
    const { head } = await readChainState(store.database);
    await tamper('DELETE FROM operator_action WHERE action_id = 2', 'DELETE FROM audit_chain WHERE no = 2');
    await of.step();
    await of.step();
    const { head: now } = await readChainState(store.database);
    expect([head?.no, now?.no]).toEqual([2, 1]);
    expect(changes).toEqual([{ known: head && headText(head), head: now && headText(now) }]);
  });
});
