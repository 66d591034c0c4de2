import { examinePrograms, findProgramsAtWork, MemberKeys } from '#intents';
import { Keyring, SystemRandom } from '#platform';

import { howToAccept, takenPrograms } from '../programs/programs-holder.js';
import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok } from './finding.js';

const changesName = 'programs.changes';
const workName = 'programs.work';

const changesRemedy = `The file is not taken over, and a process that starts with it ends: what runs keeps the file it has. Do as the sentence says; ${howToAccept}.`;
const workRemedy =
  'Put the program back into the programs file under its old name and reload; or cancel or resolve what is parked of it.';

/** Whether all work that is open is of a program of the file. */
export function judgeWork(atWork: readonly string[], programs: readonly string[]): Finding {
  const stranded = atWork.filter((program) => !programs.includes(program));
  if (stranded.length === 0) return ok(workName, 'nothing is open of a program that the file does not have');
  const detail = `nobody sends what is open of programs that the file does not have: ${nameList(stranded)}`;
  return failed(workName, { detail, remedy: workRemedy });
}

/** What the file would do in place of the one in force, and whether it has all that work is open of. */
export async function checkProgramsChanges({
  masterKeys,
  store: { database },
  programs: { loaded },
}: Given<'store' | 'programs' | 'masterKeys'>): Promise<readonly Finding[]> {
  const keys = masterKeys === null ? null : new MemberKeys(new Keyring(masterKeys), new SystemRandom());
  const dangers = await examinePrograms(database, takenPrograms(loaded, ''), keys);
  const work = judgeWork(await findProgramsAtWork(database), Object.keys(loaded.file.programs));
  if (dangers.length === 0) {
    return [ok(changesName, 'nothing in the file does harm in place of the one in force'), work];
  }
  const found = dangers.map(({ name, problem: detail }) =>
    failed(`${changesName}.${name}`, { detail, remedy: changesRemedy }),
  );
  return [...found, work];
}
