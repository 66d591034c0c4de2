import type { Database, Keyring, Random } from '#platform';
import { SealBrokenError, ToldError } from '#platform';

import { leaveTrace } from '../operator/leave-trace.js';
import type { OperatorWord } from '../operator/record-action.js';
import { listProcesses } from '../processes/list-processes.js';
import { listWrappedKeys } from './list-wrapped-keys.js';
import type { WrappedKey } from './list-wrapped-keys.js';
import { keyContext } from './member-keys.js';
import type { RewrappedKey } from './replace-wrapped-keys.js';
import { replaceWrappedKeys } from './replace-wrapped-keys.js';
import { rotateInstallationKeys } from './rotate-installation-keys.js';

/** A second pass finds what was made during the first, a third what was made during the second: then it is told. */
const passesMax = 3;

/** Processes at work could not open a key that the first master key has wrapped: nothing was changed. */
export class KeyUnknownError extends ToldError {
  override readonly name = 'KeyUnknownError';

  constructor(readonly processes: readonly string[]) {
    super(
      `${processes.length} running processes do not know the first encryption key: ${processes.join(', ')}; ` +
        'give it to all of them as a further key (by a file, or with a restart), and ask again',
    );
  }
}

/** What became of the keys. */
export interface KeyRotation {
  /** Members' keys that were looked at last. */
  readonly members: number;
  /** Keys that were wrapped anew, the database's own two included. */
  readonly rewrapped: number;
  /** Members' keys that still need another master key: created meanwhile by a process whose first key is another one. */
  readonly left: number;
  /** Members' keys that none of the master keys opens. */
  readonly unopened: number;
}

export interface RotationTools {
  readonly keyring: Keyring;
  readonly random: Random;
  readonly word: OperatorWord;
}

type Pass = Omit<KeyRotation, 'left'> & { readonly found: number };

/**
 * Wraps every data key by the first master key, so that the others can be taken away. What is sealed stays as it is. Safe
 * while processes work, resumable and repeatable: only keys that need it are touched, a page at a time.
 *
 * @throws {KeyUnknownError} before anything is changed
 * @throws {SealBrokenError} when no master key opens the database's own keys
 */
export async function rotateKeys(database: Database, tools: RotationTools): Promise<KeyRotation> {
  const { keyring, random, word } = tools;
  await refuseWhereUnknown(database, keyring, word.at);
  let rewrapped = await rotateInstallationKeys(database, keyring, random);
  let passes = 0;
  let pass: Pass;
  do {
    pass = await onePass(database, tools);
    rewrapped += pass.rewrapped;
    passes += 1;
  } while (pass.found > 0 && passes < passesMax);
  const { members, unopened, found } = pass;
  const rotation = { members, rewrapped, left: found, unopened };
  await leaveTrace(database, { word, action: 'keys.rotate', place: null, detail: { ...rotation } });
  return rotation;
}

async function refuseWhereUnknown(database: Database, keyring: Keyring, now: number): Promise<void> {
  const [first] = keyring.ids;
  const alive = (await listProcesses(database, now)).filter(({ isAlive }) => isAlive);
  const without = alive.filter(({ keyIds }) => first === undefined || !keyIds.includes(first));
  if (without.length > 0) throw new KeyUnknownError(without.map(({ host }) => host));
}

/** `found`: those that need another key and can be opened, whether they were replaced or changed meanwhile. */
async function onePass(database: Database, { keyring, random }: RotationTools): Promise<Pass> {
  const pass = { members: 0, rewrapped: 0, found: 0, unopened: 0 };
  for (let page = await listWrappedKeys(database, 0); ;) {
    const last = page.at(-1);
    if (last === undefined) return pass;
    const others = page.filter(({ wrapped }) => !keyring.isCurrent(wrapped));
    const anew = others.flatMap((key) => rewrap(key, keyring, random));
    pass.members += page.length;
    pass.found += anew.length;
    pass.unopened += others.length - anew.length;
    pass.rewrapped += await replaceWrappedKeys(database, anew);
    page = await listWrappedKeys(database, last.laneId);
  }
}

function rewrap(key: WrappedKey, keyring: Keyring, random: Random): RewrappedKey[] {
  try {
    return [{ ...key, rewrapped: keyring.rewrap(key.wrapped, keyContext(key.laneId), random) }];
  } catch (error) {
    if (error instanceof SealBrokenError) return [];
    throw error;
  }
}
