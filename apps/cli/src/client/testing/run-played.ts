import { runCommandLine } from '../../command-line/run-command-line.js';
import type { PlayedApi, Script } from './played-api.js';
import type { PlayedTerminalOptions } from './played-terminal.js';
import { playedTerminal } from './played-terminal.js';

/** How a command ended, and what it said. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process against a played API. */
export async function runPlayed(
  api: PlayedApi,
  words: readonly string[],
  { script, ...options }: PlayedTerminalOptions & { readonly script: Script },
): Promise<Run> {
  api.play(script);
  const env = { LOYALTYD_SERVER: api.server, LOYALTYD_TOKEN: 't', ...options.env };
  const terminal = playedTerminal({ ...options, env });
  const code = await runCommandLine(words, terminal);
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}
