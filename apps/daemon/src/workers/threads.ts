import type { Environment } from '#contracts';

/** Which thread of the process this is: its only one, the main one beside workers, or a worker by its number from 1. */
export type Thread = 'only' | 'main' | number;

const rolesOfWorkers: Environment['roles'] = ['ingest', 'delivery'];

/** Workers get equal shares of the process's connections, the main thread what is left. */
function connectionsOf({ workers, database }: Environment, isWorker: boolean): number {
  const poolSize = database?.poolSize ?? 0;
  const share = Math.floor(poolSize / (workers + 1));
  return isWorker ? share : poolSize - workers * share;
}

function viewOf(whole: Environment, isWorker: boolean): Environment {
  const { database, roles } = whole;
  return {
    ...whole,
    roles: roles.filter((role) => rolesOfWorkers.includes(role) === isWorker),
    database: database === null ? null : { ...database, poolSize: connectionsOf(whole, isWorker) },
  };
}

/** What the main thread does: all of it, unless workers ingest and deliver. */
export function mainThreadView(whole: Environment): Environment {
  return whole.workers === 1 ? whole : viewOf(whole, false);
}

/** What a worker does: it ingests and delivers. */
export function workerView(whole: Environment): Environment {
  return viewOf(whole, true);
}
