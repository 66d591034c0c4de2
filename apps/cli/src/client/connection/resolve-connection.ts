import { wrongUsage } from '../../command-line/command-failure.js';
import type { Connection } from './connection.js';
import type { Profile } from './profiles.js';
import { readProfiles } from './profiles.js';
import { serverUrl } from './server-url.js';
import { checkedToken, tokenInFile } from './token.js';

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

type Environment = Readonly<Record<string, string | undefined>>;

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
  return { server, token, timeoutMs: flags.timeout * 1_000 };
}
