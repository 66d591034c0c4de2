import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where a house keeps its things. */
export interface HouseFolder {
  readonly path: string;
  /** It goes when the house stops. */
  readonly isTemporary: boolean;
  readonly programsFile: string;
  readonly encryptionKeyFile: string;
  remove(): Promise<void>;
}

const encryptionKeyBytes = 32;
/** Others may pass through: started by root, Postgres runs as another user, and its folder lies in here. */
const folderMode = 0o711;

/**
 * The given folder, made where it is missing, or a temporary one; with the programs file and an encryption key in it. A
 * key that is there already stays: the stored data is sealed with it. The programs file stays too: it may be edited.
 */
export async function provideHouseFolder(given: string | null, programs: string): Promise<HouseFolder> {
  const path = given === null ? await mkdtemp(join(tmpdir(), 'loyaltyd-house-')) : resolve(given);
  await mkdir(path, { recursive: true, mode: folderMode });
  const programsFile = join(path, 'loyaltyd.yaml');
  const encryptionKeyFile = join(path, 'encryption-key');
  await writeOnce(programsFile, programs);
  await writeOnce(encryptionKeyFile, `${randomBytes(encryptionKeyBytes).toString('base64')}\n`);
  const remove = (): Promise<void> => (given === null ? rm(path, { recursive: true, force: true }) : Promise.resolve());
  return { path, isTemporary: given === null, programsFile, encryptionKeyFile, remove };
}

async function writeOnce(file: string, text: string): Promise<void> {
  if (!existsSync(file)) await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}
