import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { CommandFailure } from '../../command-line/command-failure.js';

/** A server that somebody has logged in to. */
export interface Profile {
  readonly server: string;
  readonly token: string;
  /** Http to another machine was allowed at the login. */
  readonly insecureHttp?: boolean;
}

export interface Profiles {
  /** Used where none is named. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const none: Profiles = { current: null, profiles: {} };

/** Where profiles are kept: `$XDG_CONFIG_HOME/loyaltyd/profiles.json`. */
export function profilesFile(env: Environment): string {
  const folder = env['XDG_CONFIG_HOME'] ?? '';
  return join(folder === '' ? join(env['HOME'] ?? homedir(), '.config') : folder, 'loyaltyd', 'profiles.json');
}

function isProfiles(value: unknown): value is Profiles {
  if (typeof value !== 'object' || value === null || !('profiles' in value)) return false;
  const { profiles } = value;
  return (
    typeof profiles === 'object' &&
    profiles !== null &&
    Object.values(profiles).every(
      (profile: Partial<Profile> | null) => typeof profile?.server === 'string' && typeof profile.token === 'string',
    )
  );
}

function parsed(text: string, file: string): Profiles {
  try {
    const value: unknown = JSON.parse(text);
    if (isProfiles(value)) return { current: value.current, profiles: value.profiles };
  } catch {
    // Told below: the parser's message would quote a token.
  }
  throw new CommandFailure(`${file} is not as \`loyaltyd login\` writes it: mend or remove it`);
}

/** None where nobody has logged in yet. @throws {CommandFailure} */
export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env);
  try {
    return parsed(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
}

/** Whole or not at all, for this user alone. */
export function writeProfiles(env: Environment, profiles: Profiles): void {
  const file = profilesFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    // The mode above holds for new files only, and only as far as the umask lets it.
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
