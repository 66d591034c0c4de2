import type { ListedProcess } from '#intents';
import { disagreeingSince, ProcessRepository } from '#intents';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { durationText, failed, nameList, ok, warning } from './finding.js';

const aliveName = 'processes.alive';
const programsName = 'processes.programs';
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

/** Which processes are alive, and which roles none of them has. */
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

/** Whether all work by the same programs file. */
export function judgePrograms(processes: readonly ListedProcess[], now: number): readonly Finding[] {
  const alive = processes.filter(({ isAlive }) => isAlive);
  return alive.length === 0 ? [] : [judgeAgreement(alive, now), ...alive.flatMap(judgeRefused)];
}

/** The processes of the installation, by what each reports of itself. */
export async function checkProcesses({ store: { database, now } }: Given<'store'>): Promise<readonly Finding[]> {
  const listed = await new ProcessRepository(database).list(now());
  return [...judgeAlive(listed, now()), ...judgePrograms(listed, now())];
}
