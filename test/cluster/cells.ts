import { waitUntil } from '#embedded';

import type { Bar } from '../chaos/report.js';
import { bar, none } from '../chaos/verdict/bars.js';
import { runSql } from '../chaos/verdict/run-sql.js';

/** What two cells are judged by: databases of theirs, that of the undivided release before them, and their partner's. */
export interface CellsRun {
  readonly undividedUrl: string;
  readonly urls: readonly string[];
  readonly walletUrl: string;
}

const restMsMax = 300_000;
/** A cell that has read everything and has nothing due. */
const movingText = 'SELECT count(*)::int AS count FROM lane WHERE due_at IS NOT NULL';
/** Of each event that was taken in, whatever came of it: a void of what is not sent yet makes no intent, for instance. */
const eventsText = "SELECT encode(key, 'hex') AS name FROM dedup WHERE kind = 'event'";
const membersText = 'SELECT member_id AS name FROM member JOIN lane USING (lane_id)';
const postedText = `SELECT key AS name FROM wallet_sandbox.ledger WHERE operation = 'transaction' AND key IS NOT NULL`;

async function names(url: string, text: string): Promise<string[]> {
  return (await runSql<{ name: string }>(url, text)).map(({ name }) => name);
}

async function namesOf(urls: readonly string[], text: string): Promise<string[]> {
  return (await Promise.all(urls.map((url) => names(url, text)))).flat();
}

async function isAtRest({ undividedUrl, urls }: CellsRun): Promise<boolean> {
  const [owed, taken, moving] = await Promise.all([
    names(undividedUrl, eventsText),
    namesOf(urls, eventsText),
    Promise.all(urls.map((url) => runSql<{ count: number }>(url, movingText))),
  ]);
  return taken.length >= owed.length && moving.flat().every(({ count }) => count === 0);
}

const twice = (all: readonly string[]): number => all.length - new Set(all).size;

/**
 * Waits until the cells have taken what the undivided release took from the same topics, and compares: every event and every
 * member in one cell, no transaction posted twice.
 */
export async function judgeCells(run: CellsRun): Promise<readonly Bar[]> {
  const startedAt = performance.now();
  const rest = await waitUntil(() => isAtRest(run), { what: 'both cells at rest', timeoutMs: restMsMax }).then(
    () => true,
    () => false,
  );
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const [owed, taken, members, undivided, posted] = await Promise.all([
    names(run.undividedUrl, eventsText),
    namesOf(run.urls, eventsText),
    namesOf(run.urls, membersText),
    names(run.undividedUrl, membersText),
    names(run.walletUrl, postedText),
  ]);
  const [first = []] = await Promise.all(run.urls.slice(0, 1).map((url) => names(url, membersText)));
  const share = first.length / members.length;
  const known = new Set(taken);
  const missing = undivided.filter((member) => !members.includes(member)).length;
  return [
    bar('cells: at rest', rest ? `after ${seconds} s` : 'no', rest),
    none('cells: events of the undivided release that no cell has', owed.filter((event) => !known.has(event)).length),
    none('cells: events that both have', twice(taken)),
    none('cells: members that both have', twice(members)),
    none('cells: members that none has', missing),
    bar('cells: each has a third of the members or more', share.toFixed(2), share > 1 / 3 && share < 2 / 3),
    none(`cells: transactions posted twice, of ${posted.length}`, twice(posted)),
  ];
}
