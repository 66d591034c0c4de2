import { exitNothingMatched, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiClient } from './api-client.js';
import type { ConnectionFlags, Profile, Profiles } from './connection.js';
import {
  checkedToken,
  profilesFile,
  readProfiles,
  requireProof,
  serverUrl,
  tokenBytesMax,
  tokenInFile,
  writeProfiles,
} from './connection.js';
import { safeLine } from './text.js';

export interface LoginFlags extends ConnectionFlags {
  readonly list?: boolean;
  readonly use?: boolean;
  readonly remove?: boolean;
}

const profileDefault = 'default';
const namePattern = /^[\w.-]{1,64}$/;

function nameOf({ profile = profileDefault }: LoginFlags): string {
  if (namePattern.test(profile)) return profile;
  throw wrongUsage('--profile: 1 to 64 letters, digits, ".", "_" or "-"');
}

function known(profiles: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles.profiles, name) ? profiles.profiles[name] : undefined;
  if (profile !== undefined) return profile;
  throw wrongUsage(`there is no profile ${name}`);
}

/** Who stands behind the server's address: one request that any role may make. */
async function tryOut({ server, token }: Profile, timeout: number): Promise<void> {
  await new ApiClient({ server, token, timeoutMs: timeout * 1_000 }).get('/pauses');
}

async function tokenOf(terminal: Terminal, { token, tokenFile }: LoginFlags): Promise<string> {
  if (tokenFile !== undefined) return tokenInFile(tokenFile, '--token-file');
  if (token !== undefined) return checkedToken(token, '--token');
  if (terminal.isInteractive) return checkedToken(await terminal.askSecret('Token: '), 'what was typed');
  return checkedToken((await terminal.readInput(tokenBytesMax)).toString('utf8'), 'standard input');
}

function addressOf({ server }: LoginFlags, env: Terminal['env'], before: Profile | undefined): string {
  const address = server ?? (env['LOYALTYD_SERVER'] === '' ? undefined : env['LOYALTYD_SERVER']) ?? before?.server;
  if (address === undefined) throw wrongUsage('login: which --server?');
  return address;
}

async function store(terminal: Terminal, flags: LoginFlags): Promise<number> {
  const name = nameOf(flags);
  const before = readProfiles(terminal.env).profiles[name];
  const insecureHttp = flags.insecureHttp ?? before?.insecureHttp ?? false;
  const server = serverUrl(addressOf(flags, terminal.env, before), insecureHttp);
  requireProof(server, terminal.env);
  const profile: Profile = { server, token: await tokenOf(terminal, flags), ...(insecureHttp ? { insecureHttp } : {}) };
  await tryOut(profile, flags.timeout);
  const { profiles } = readProfiles(terminal.env);
  writeProfiles(terminal.env, { current: name, profiles: { ...profiles, [name]: profile } });
  terminal.report(`loyaltyd: ${server} is profile ${name} now, in ${profilesFile(terminal.env)}`);
  return exitOk;
}

async function list(terminal: Terminal): Promise<number> {
  const { current, profiles } = readProfiles(terminal.env);
  const lines = Object.entries(profiles).map(
    ([name, { server }]) => `${name === current ? '*' : ' '} ${name}  ${server}`,
  );
  await terminal.print(lines.map((line) => `${safeLine(line)}\n`).join(''));
  return lines.length === 0 ? exitNothingMatched : exitOk;
}

function use(terminal: Terminal, flags: LoginFlags): number {
  const profiles = readProfiles(terminal.env);
  known(profiles, nameOf(flags));
  writeProfiles(terminal.env, { ...profiles, current: nameOf(flags) });
  return exitOk;
}

function remove(terminal: Terminal, flags: LoginFlags): number {
  const name = nameOf(flags);
  const { current, profiles } = readProfiles(terminal.env);
  known({ current, profiles }, name);
  const { [name]: _gone, ...others } = profiles;
  writeProfiles(terminal.env, { current: current === name ? null : current, profiles: others });
  return exitOk;
}

/** Keeps, shows or forgets servers with their tokens. @returns the exit code */
export async function login(terminal: Terminal, flags: LoginFlags): Promise<number> {
  const asked = [flags.list, flags.use, flags.remove].filter((flag) => flag === true).length;
  if (asked > 1) throw wrongUsage('--list, --use, --remove: one of them');
  if (flags.list === true) return list(terminal);
  if (flags.use === true) return use(terminal, flags);
  return flags.remove === true ? remove(terminal, flags) : store(terminal, flags);
}
