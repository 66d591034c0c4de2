import type { DatabaseEnvironment } from '#contracts';
import { listProcesses, listReplicas } from '#intents';
import type { PostgresConnection } from '#platform';
import { inspectConnections, readOnlyDatabase } from '#platform';

import type { ReadPrograms } from '../check-programs.js';
import type { Examination, Step } from '../examination.js';
import { concludeMs } from '../limits.js';
import { judgeRoom } from '../postgres/check-room.js';
import type { Store } from '../postgres/check-schema.js';
import { judgeAlive, judgeDelivery, judgePrograms } from './judge-processes.js';

const slowRemedy = 'Postgres answers slowly: see pg_stat_activity for locks and long queries.';

export interface ProcessesBuilt {
  readonly connection: Step<PostgresConnection>;
  readonly store: Step<Store>;
  readonly programs: Step<ReadPrograms>;
}

/** The processes of the installation, by what each reports of itself, and whether their connections have room. */
export function checkProcesses(
  examination: Examination,
  { connection, store, programs }: ProcessesBuilt,
  { poolSize }: DatabaseEnvironment,
): void {
  const plan = { name: 'processes.alive', timeoutMs: concludeMs, remedy: slowRemedy };
  const processes = examination.after(store, plan, async ({ database, now }) => {
    const [listed, replicas] = await Promise.all([listProcesses(database, now()), listReplicas(database, now())]);
    // A file that cannot be read has a line of its own.
    const file = await programs.value;
    const fileHash = file === null ? null : Buffer.from(file.loaded.hash).toString('hex');
    const findings = [
      ...judgeAlive(listed, now()),
      ...judgeDelivery(listed, replicas),
      ...judgePrograms(listed, { now: now(), fileHash }),
    ];
    return { findings, value: listed.filter(({ isAlive }) => isAlive).length };
  });
  examination.after(connection, { ...plan, name: 'postgres.connections' }, async ({ database }) => {
    const connections = await inspectConnections(readOnlyDatabase(database));
    // Where nobody can say how many there are, it is at least the one that will be started.
    const alive = Math.max(1, (await processes.value) ?? 1);
    return { findings: [judgeRoom(connections, { poolSize, processes: alive })], value: null };
  });
}
