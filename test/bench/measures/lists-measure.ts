import type { IntentFilter, ListPosition } from '#operations';
import { FailureGroupRepository, IntentRepository } from '#operations';

import { Undo } from '../../support/process/program.js';
import type { HistorySize } from '../backlog/fill-tables.js';
import { fillHistory } from '../backlog/fill-tables.js';
import type { BenchStore } from '../bench-parts.js';
import { openStore, programName } from '../bench-parts.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { percentile, rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const pageSize = 50;
const pagesMax = 200;
const hourMs = 3_600_000;
const p99 = 0.99;

/** Every filter of `GET /intents`, with a value that much fits, little fits, or nothing. */
const filtersOf = ({ members }: HistorySize, now: number): Readonly<Record<string, IntentFilter>> => ({
  none: {},
  'status=pending': { status: 'pending' },
  'status=waiting (none)': { status: 'waiting' },
  'status=delivering (none)': { status: 'delivering' },
  'status=delivered': { status: 'delivered' },
  'status=parked': { status: 'parked' },
  'status=unknown': { status: 'unknown' },
  'status=cancelled': { status: 'cancelled' },
  'operation=transaction': { operation: 'transaction' },
  'operation=reward (none)': { operation: 'reward' },
  program: { program: programName },
  'program (none)': { program: 'nobody' },
  memberId: { memberId: `m_${Math.floor(members / 2)}` },
  'memberId (none)': { memberId: 'nobody' },
  purchaseId: { purchaseId: `p-${members}` },
  'purchaseId (none)': { purchaseId: 'nobody' },
  store: { store: 'store-7' },
  'store (none)': { store: 'nowhere' },
  source: { source: '/pos/store-7' },
  'source (none)': { source: '/nowhere' },
  'reason=rejected': { reason: 'rejected' },
  'reason=exhausted': { reason: 'exhausted' },
  'code (none)': { code: 'refused' },
  'fingerprint (none)': { fingerprint: 'f'.repeat(32) },
  'from, to (an hour)': { from: now - 48 * hourMs, to: now - 47 * hourMs },
  'status=parked, operation, from': { status: 'parked', operation: 'transaction', from: now - 48 * hourMs },
  'status=delivered, store, from': { status: 'delivered', store: 'store-7', from: now - 48 * hourMs },
});

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

const rowOf = (label: string, durations: readonly number[], items: number): FiguresRow => ({
  label,
  values: [percentile(durations, 0.5), percentile(durations, p99), Math.max(...durations), durations.length, items].map(
    rounded,
  ),
});

/** Page by page from the newest, up to so many pages; from the beginning again where there are fewer. */
const measureFilter = async (
  { database, clock }: BenchStore,
  label: string,
  filter: IntentFilter,
): Promise<FiguresRow> => {
  const durations: number[] = [];
  let after: ListPosition | null = null;
  let items = 0;
  const page = async (): Promise<void> => {
    const { items: found, next } = await new IntentRepository(database, clock).list({
      filter,
      programs: null,
      after,
      limit: pageSize,
    });
    items += found.length;
    after = next;
  };
  while (durations.length < pagesMax) durations.push(await timed(page));
  return rowOf(label, durations, items);
};

const measureGroups = async ({ database, clock }: BenchStore): Promise<FiguresRow> => {
  const durations: number[] = [];
  let intents = 0;
  const look = async (): Promise<void> => {
    const groups = await new FailureGroupRepository(database).list({ programs: null, now: clock.now() });
    intents = groups.reduce((sum, group) => sum + group.intents, 0);
  };
  while (durations.length < pagesMax / 4) durations.push(await timed(look));
  return rowOf('groups', durations, intents);
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, postgres, encryptionKey, say } = tools;
  const size = plan.lists;
  const intents = size.members * size.intentsPerMember;
  say(`lists: filling ${intents} intents, ${size.exceptions} of which do not stand well`);
  const url = await postgres.create('lists');
  undo.add(() => postgres.drop('lists'));
  await fillHistory(url, size);
  const store = await openStore(url, encryptionKey);
  undo.add(() => store.close());
  const rows: FiguresRow[] = [];
  for (const [label, filter] of Object.entries(filtersOf(size, store.clock.now()))) {
    say(`lists: ${label}`);
    rows.push(await measureFilter(store, label, filter));
  }
  const worst = Math.max(...rows.map(({ values }) => values[1] ?? NaN));
  rows.push(await measureGroups(store));
  return {
    kind: 'figures',
    name: 'lists',
    unit: `pages of ${pageSize} of ${intents.toLocaleString('en-US')} intents`,
    columns: ['p50, ms', 'p99, ms', 'max, ms', 'pages', 'intents shown'],
    rows,
    bars: [judgeFigure({ text: 'the p99 of every filter <= 50 ms', atMost: 50 }, worst)],
    notes: [
      `${size.exceptions.toLocaleString('en-US')} intents are parked, unknown, cancelled or resolved; one lane in ten has half of its intents to come.`,
      'As the API asks the store, without HTTP. A page ends after 25 ms even if it is not full.',
    ],
  };
};

/** Pages of the lists that operators look at, when there is much to look at. */
export const listsMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
