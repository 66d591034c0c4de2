import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { readJsonText } from '#contracts/json';

import { CommandFailure, wrongUsage } from '../command-line/command-failure.js';

/** Where the operations API is, and who asks. */
export interface Connection {
  /** Without a slash at its end, such as `https://loyaltyd.example.org`. */
  readonly server: string;
  readonly token: string;
  /** How long one answer may take. */
  readonly timeoutMs: number;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function parsedUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw wrongUsage(`--server: not an address such as https://loyaltyd.example.org`);
}

/**
 * The address of a server as requests need it. A token goes over https only, unless the server is this machine.
 * @throws {CommandFailure}
 */
export function serverUrl(text: string, mayBeInsecure: boolean): string {
  const url = parsedUrl(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw wrongUsage('--server: only scheme, host, port and path; the token goes by --token-file');
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !mayBeInsecure) {
    throw wrongUsage('--server: the token would cross the network unencrypted; use https, or say --insecure-http');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** A token is sent only to a server that must prove its name. @throws {CommandFailure} */
export function requireProof(server: string, env: Environment): void {
  if (!server.startsWith('https:') || env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw wrongUsage(
    'NODE_TLS_REJECT_UNAUTHORIZED: with 0 a forged certificate is taken for a right one, and the token goes to whoever shows it. ' +
      'Unset it; an authority of your own goes into NODE_EXTRA_CA_CERTS',
  );
}

/** What the operations API accepts as one. */
const tokenPattern = /^[\w~+/.=-]{1,4096}$/;
/** A longer file is something else. */
export const tokenBytesMax = 8_192;

/** A token without the line break after it. @throws {CommandFailure} which does not quote it */
export function checkedToken(text: string, origin: string): string {
  const token = text.trim();
  if (tokenPattern.test(token)) return token;
  throw wrongUsage(`${origin}: ${token === '' ? 'holds no token' : 'this is no token'}`);
}

/** @throws {CommandFailure} */
export function tokenInFile(path: string, origin: string): string {
  return checkedToken(tokenText(path, origin), origin);
}

function tokenText(path: string, origin: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, tokenBytesMax);
  } catch (error) {
    throw wrongUsage(`${origin}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

/** A server that an operator has logged in to. */
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

function parsedProfiles(text: string, file: string): Profiles {
  const value = readJsonText(text);
  if (isProfiles(value)) return { current: value.current, profiles: value.profiles };
  throw new CommandFailure(`${file} is not as \`loyaltyd login\` writes it: mend or remove it`);
}

/** None before the first login. @throws {CommandFailure} */
export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env);
  try {
    return parsedProfiles(readFileSync(file, 'utf8'), file);
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

/** The flags that every command has which asks the operations API. */
export interface ConnectionFlags {
  readonly server?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly profile?: string;
  readonly insecureHttp?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

function valueOf(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

function namedProfile(env: Environment, name: string): Profile {
  const { profiles } = readProfiles(env);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles).join(', ');
  throw wrongUsage(
    `there is no profile ${JSON.stringify(name)}; ${known === '' ? '`loyaltyd login` makes one' : known}`,
  );
}

function currentProfile(env: Environment): Profile | null {
  const name = valueOf(env, 'LOYALTYD_PROFILE') ?? readProfiles(env).current;
  return name === null ? null : namedProfile(env, name);
}

/** By flag. Both at once are refused rather than one of them taken. */
function tokenByFlag({ token, tokenFile }: ConnectionFlags): string | null {
  if (token !== undefined && tokenFile !== undefined) throw wrongUsage('--token and --token-file: one of them');
  if (tokenFile !== undefined) return tokenInFile(tokenFile, '--token-file');
  return token === undefined ? null : checkedToken(token, '--token');
}

function tokenByEnvironment(env: Environment): string | null {
  const [token, file] = [valueOf(env, 'LOYALTYD_TOKEN'), valueOf(env, 'LOYALTYD_TOKEN_FILE')];
  if (token !== undefined && file !== undefined) {
    throw wrongUsage('LOYALTYD_TOKEN and LOYALTYD_TOKEN_FILE: one of them');
  }
  if (file !== undefined) return tokenInFile(file, 'LOYALTYD_TOKEN_FILE');
  return token === undefined ? null : checkedToken(token, 'LOYALTYD_TOKEN');
}

/** A profile's token goes to the profile's server alone: it must not reach another that was named beside it. */
function tokenOfProfile(profile: Profile | null, server: string): string | null {
  return profile !== null && serverUrl(profile.server, true) === server ? profile.token : null;
}

function hasToken({ token, tokenFile }: ConnectionFlags, env: Environment): boolean {
  const given = [token, tokenFile, valueOf(env, 'LOYALTYD_TOKEN'), valueOf(env, 'LOYALTYD_TOKEN_FILE')];
  return given.some((value) => value !== undefined);
}

function serverOf(address: string | undefined, profile: Profile | null, isInsecure: boolean): string {
  if (address !== undefined) return serverUrl(address, isInsecure);
  if (profile !== null) return serverUrl(profile.server, isInsecure || profile.insecureHttp === true);
  throw wrongUsage('which server? --server, LOYALTYD_SERVER, or `loyaltyd login`');
}

/** The profile that a flag names, or the current one where something is still missing. */
function profileFor(flags: ConnectionFlags, env: Environment): Profile | null {
  if (flags.profile !== undefined) return namedProfile(env, flags.profile);
  const hasServer = flags.server !== undefined || valueOf(env, 'LOYALTYD_SERVER') !== undefined;
  return hasServer && hasToken(flags, env) ? null : currentProfile(env);
}

/**
 * Who asks whom: by flag; else, unless a profile was named by flag, by `LOYALTYD_SERVER` and `LOYALTYD_TOKEN(_FILE)`;
 * else by profile. @throws {CommandFailure} that says what is missing
 */
export function resolveConnection(flags: ConnectionFlags, env: Environment): Connection {
  const profile = profileFor(flags, env);
  const variables = flags.profile === undefined ? env : {};
  const address = flags.server ?? valueOf(variables, 'LOYALTYD_SERVER');
  const server = serverOf(address, profile, flags.insecureHttp === true);
  const token = tokenByFlag(flags) ?? tokenByEnvironment(variables) ?? tokenOfProfile(profile, server);
  if (token === null) throw wrongUsage('which token? --token-file, LOYALTYD_TOKEN, or `loyaltyd login`');
  requireProof(server, env);
  return { server, token, timeoutMs: flags.timeout * 1_000 };
}
