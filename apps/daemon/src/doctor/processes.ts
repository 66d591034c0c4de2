import type { ListedProcess, ListedReplica } from '#intents';
import { disagreeingSince, listProcesses, listReplicas } from '#intents';

import type { ReadPrograms } from './configuration.js';
import type { Examination, Step } from './examination.js';
import { concludeMs } from './examination.js';
import type { Finding } from './finding.js';
import { durationText, failed, nameList, ok, warning } from './finding.js';
import type { Store } from './postgres.js';
import { slowRemedy } from './postgres.js';

const aliveName = 'processes.alive';
const programsName = 'processes.programs';
const deliveryName = 'processes.delivery';
/** A roll-out takes some time. */
const disagreementMsMax = 60_000;
const hashShown = 12;

const rolesNeeded = ['ingest', 'delivery'] as const;

function judgeSilent({ host, processId, heartbeatAt }: ListedProcess, now: number): Finding {
  return warning(`${aliveName}.${host}`, {
    detail: `process ${processId} on ${host} has not reported for ${durationText(Math.max(0, now - heartbeatAt))} and never said goodbye`,
    remedy:
      'Killed, or it cannot reach Postgres: look at its log. What it had in hand is due again when its leases end.',
  });
}

/** Who is there, and what nobody does. */
export function judgeAlive(processes: readonly ListedProcess[], now: number): readonly Finding[] {
  const alive = processes.filter(({ isAlive }) => isAlive);
  const silent = processes.filter(({ isAlive }) => !isAlive).map((process) => judgeSilent(process, now));
  const undone = rolesNeeded.filter((role) => !alive.some(({ roles }) => roles.includes(role)));
  const who = alive.map(({ host, roles }) => `${host} (${roles.join(', ')})`);
  const detail = alive.length === 0 ? 'none is alive' : `${alive.length} alive: ${nameList(who)}`;
  if (undone.length === 0) return [ok(aliveName, detail), ...silent];
  const remedy = 'Start one (`loyaltyd start`). Before the first start this is as it should be.';
  return [warning(aliveName, { detail: `${detail}; none with the role ${undone.join(' or ')}`, remedy }), ...silent];
}

/** Every delivering process must be heard by the others: a limit is shared out over those. */
export function judgeDelivery(
  processes: readonly ListedProcess[],
  replicas: readonly ListedReplica[],
): readonly Finding[] {
  const delivering = processes.filter(({ isAlive, roles }) => isAlive && roles.includes('delivery')).length;
  if (delivering === 0) return [];
  const heard = replicas.filter(({ isAlive }) => isAlive).length;
  const detail = `${heard} of ${delivering} delivering processes take part in sharing the limits`;
  if (heard >= delivering) return [ok(deliveryName, detail)];
  const remedy =
    'One that does not begins no call. Has it just started? Else look at its log: `delivery will try again`.';
  return [warning(deliveryName, { detail, remedy })];
}

function judgeAgreement(alive: readonly ListedProcess[], now: number): Finding {
  const since = disagreeingSince(alive.map(({ programs }) => programs));
  if (since === null) return ok(programsName, 'all processes work by the same programs file');
  const who = alive.map(({ host, programs: { hash } }) => `${host} ${hash.slice(0, hashShown)}`);
  const forMs = Math.max(0, now - since);
  const trouble = {
    detail: `processes have worked by different programs files for ${durationText(forMs)}: ${nameList(who)}`,
    remedy:
      '`loyaltyd reload` (POST /api/v1/reload) has all of them read theirs again. If one does not follow: is the new file mounted there?',
  };
  return (forMs > disagreementMsMax ? failed : warning)(programsName, trouble);
}

function judgeRefused({ host, programsProblem }: ListedProcess): readonly Finding[] {
  if (programsProblem === null) return [];
  const detail = `${host} did not take over the file that it read last: ${programsProblem}`;
  return [warning(`${programsName}.${host}`, { detail, remedy: 'It goes on by the one it had. Mend the file there.' })];
}

function judgeFile(alive: readonly ListedProcess[], fileHash: string | null): readonly Finding[] {
  const others = alive.filter(({ programs }) => programs.hash !== fileHash);
  if (fileHash === null || others.length === 0) return [];
  const detail = `the file here (${fileHash.slice(0, hashShown)}) is not what ${nameList(others.map(({ host }) => host))} works by`;
  return [
    warning('processes.programs-file', {
      detail,
      remedy: 'Was it changed just now? Else `loyaltyd reload` (POST /api/v1/reload), or it is another file here.',
    }),
  ];
}

/** Whether all work by the same programs file, and by the one that lies here. */
export function judgePrograms(
  processes: readonly ListedProcess[],
  { now, fileHash }: { readonly now: number; readonly fileHash: string | null },
): readonly Finding[] {
  const alive = processes.filter(({ isAlive }) => isAlive);
  if (alive.length === 0) return [];
  return [judgeAgreement(alive, now), ...alive.flatMap(judgeRefused), ...judgeFile(alive, fileHash)];
}

/** The processes of the installation, by what each reports of itself. */
export function checkProcesses(
  examination: Examination,
  { store, programs }: { readonly store: Step<Store>; readonly programs: Step<ReadPrograms> },
): void {
  const plan = { name: aliveName, timeoutMs: concludeMs, remedy: slowRemedy };
  examination.after(store, plan, async ({ database, now }) => {
    const [listed, replicas] = await Promise.all([listProcesses(database, now()), listReplicas(database, now())]);
    // A file that cannot be read has a line of its own.
    const file = await programs.value;
    const fileHash = file === null ? null : Buffer.from(file.loaded.hash).toString('hex');
    const findings = [
      ...judgeAlive(listed, now()),
      ...judgeDelivery(listed, replicas),
      ...judgePrograms(listed, { now: now(), fileHash }),
    ];
    return { findings, value: null };
  });
}
