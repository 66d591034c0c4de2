import { waitUntil } from '#embedded';

import { Undo } from '../../support/process/program.js';
import { fillStore } from '../backlog/fill-store.js';
import { startChild } from '../child.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { FiguresReport } from '../report/bench-report.js';
import { judgeRounds } from '../report/judge.js';
import { rounded, spreadOf } from '../statistics.js';
import type { PartnerStub } from '../stub/start-stub.js';
import { startStub } from '../stub/start-stub.js';
import { bothQueues, fillPeers, ourEntrant, peerEntrant } from './beside-peers.js';
import type { Entrant, MeasureTools } from './measure.js';

/** Of the partner, for each answer: calls are under way at any moment. */
const answerMs = 20;
const pollIntervalMs = 20;
const leaveTimeoutMs = 30_000;
const template = 'doubts';
const peers = bothQueues({ isOrdered: true, way: 'as it is', processes: 1 });

/** What a database says after its process was killed: what was taken or begun and is not done, and what is done. */
const sqls = [
  `SELECT (SELECT count(*) FROM lane WHERE attempt_open)::int AS open,
     (SELECT count(*) FROM intent_event WHERE type = 'AttemptApplied')::int AS done`,
  `SELECT count(*) FILTER (WHERE locked_at IS NOT NULL)::int AS open, $1::int - count(*)::int AS done
   FROM graphile_worker._private_jobs`,
  `SELECT count(*) FILTER (WHERE state = 'active')::int AS open, $1::int - count(*) FILTER (WHERE state < 'completed')::int AS done
   FROM pgboss.job WHERE name = 'send'`,
];

const columns = ['calls under way, at most', 'taken or begun, not done', 'of these at the partner'];

const notes = [
  `A process is killed (SIGKILL) in the middle of its backlog, before a partner that takes ${answerMs} ms for an answer, with the settings of \`delivery\`; then its database is asked, and the partner's stub. A queue does all again that it had taken: what had reached the partner is done twice. A lane leaves in doubt what it had begun, looks each up at the partner, and sends none again that is there (\`npm run drill\` shows that).`,
  'graphile-worker lets go of what a dead worker had locked after four hours, pg-boss after the time that its queue was given (15 minutes); a lane goes on when its lease ends.',
];

interface Kill {
  readonly url: string;
  readonly stub: PartnerStub;
  readonly entrant: Entrant;
  /** Calls that the partner had read when it is killed. */
  readonly after: number;
}

const awaitLeave = async (url: string): Promise<void> => {
  const others =
    'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  const isAlone = async (): Promise<boolean> => (await runSql<{ count: number }>(url, others))[0]?.count === 0;
  await waitUntil(isAlone, { what: 'the last connection of a dead process', timeoutMs: leaveTimeoutMs });
};

/** @returns the values of one kill, by `columns` */
const killMidway = async ({ url, stub, entrant, after }: Kill, openSql: string): Promise<number[]> => {
  await stub.reset();
  const { input, program = entrant.name } = entrant;
  const { child } = await startChild('contestants/contestant-process', [program]);
  const ended = child.ask({ ...input, databaseUrl: url }, input.secondsMax * 1_000).catch(() => undefined);
  try {
    const isMidway = async (): Promise<boolean> => (await stub.counts()).applied >= after;
    await waitUntil(isMidway, {
      what: `${after} calls`,
      timeoutMs: input.secondsMax * 1_000,
      intervalMs: pollIntervalMs,
    });
  } finally {
    await child.kill();
  }
  await ended;
  await awaitLeave(url);
  const total = input.members * input.intentsPerMember;
  const [row] = await runSql<{ open: number; done: number }>(url, openSql, openSql.includes('$1') ? [total] : []);
  const { applied } = await stub.counts();
  return [await stub.mostAtOnce(), row?.open ?? NaN, applied - (row?.done ?? NaN)];
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, postgres, encryptionKey, say } = tools;
  const { delivery: size, rounds: count } = plan;
  await fillStore(await postgres.create(template), encryptionKey, size);
  undo.add(() => postgres.drop(template));
  undo.add(await fillPeers(tools, template, size, peers));
  const stub = await startStub({ answerMs });
  undo.add(() => stub.stop());
  const entrants = [
    ourEntrant(tools, stub, { size, processes: 1, template }),
    ...peers.map((peer) =>
      peerEntrant(tools, stub, peer, { name: template, size, peerSecondsMax: plan.roundSecondsMax }),
    ),
  ];
  const after = Math.floor((size.members * size.intentsPerMember) / 3);
  const rounds = entrants.map((): number[][] => []);
  for (let round = 1; round <= count; round += 1) {
    for (const [index, entrant] of entrants.entries()) {
      say(`doubts: round ${round} of ${count}, ${entrant.label}`);
      const url = await postgres.clone(entrant.template ?? '', 'killed');
      rounds[index]?.push(await killMidway({ url, stub, entrant, after }, sqls[index] ?? ''));
      await postgres.drop('killed');
    }
  }
  const valuesOf = (index: number, column: number): number[] =>
    (rounds[index] ?? []).map((values) => values[column] ?? NaN);
  const shares = valuesOf(0, 1).map((open, round) => open / (valuesOf(0, 0)[round] ?? NaN));
  return {
    kind: 'figures',
    name: 'doubts',
    unit: `after a kill, median of ${count}`,
    columns,
    rows: entrants.map(({ label }, index) => ({
      label,
      values: columns.map((_, column) => rounded(spreadOf(valuesOf(index, column)).median)),
    })),
    bars: [judgeRounds({ text: 'in doubt <= 1.1 x the calls that were under way at once', atMost: 1.1 }, shares)],
    notes,
  };
};

/** What nobody knows the outcome of after a process was killed at full load. */
export const doubtsMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
