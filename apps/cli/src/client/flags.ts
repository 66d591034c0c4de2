import type { Command } from 'commander';
import { Option } from 'commander';

import { parseLimit, parseReason, parseSeconds, parseSince, wholeNumber } from '../command-line/option-values.js';

export const outputFormats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'name'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** What a list also has whose server writes it as a file. */
export const fileFormats = [...outputFormats, 'csv'] as const;

export interface OutputFlags {
  readonly output: OutputFormat;
}

export interface WatchFlags {
  /** Seconds between two looks. */
  readonly watch?: number;
}

export interface ListFlags extends OutputFlags, WatchFlags {
  /** Epoch ms. */
  readonly since?: number;
  readonly limit: number;
}

const watchSecondsDefault = 2;
const limitDefault = 50;

export function withOutput(command: Command, formats: readonly string[] = outputFormats): Command {
  return command.addOption(new Option('-o, --output <format>', 'how it is shown').choices(formats).default('table'));
}

export function withWatch(command: Command): Command {
  return command.addOption(
    new Option('-w, --watch [seconds]', `look again and again, every ${watchSecondsDefault} s unless said otherwise`)
      .preset(String(watchSecondsDefault))
      .argParser(parseSeconds),
  );
}

/** Adds what lists have. */
export function withList(command: Command, formats: readonly string[] = outputFormats): Command {
  return withWatch(withOutput(command, formats)).option(
    '--limit <n>',
    'how many at most, or `all`',
    parseLimit,
    limitDefault,
  );
}

/** Adds what lists have whose items have a time. */
export function withSince(command: Command): Command {
  const text = 'not older than 2h, 30m, 7d, or than a time such as 2026-11-21T10:00:00Z';
  return command.option('--since <time>', text, parseSince);
}

const timeoutSecondsDefault = 60;
const timeoutSecondsMax = 3_600;
const heading = 'Connection:';

function connectionOptions(): Option[] {
  return [
    new Option('--server <url>', 'address of the operations API; else LOYALTYD_SERVER, else the profile’s'),
    new Option('--token <token>', 'who asks. Others on this machine can see it: prefer --token-file'),
    new Option(
      '--token-file <file>',
      'holds the token; else LOYALTYD_TOKEN or LOYALTYD_TOKEN_FILE, else the profile’s',
    ),
    new Option('--profile <name>', 'as `loyaltyd login` stored it; else LOYALTYD_PROFILE'),
    new Option('--insecure-http', 'send the token unencrypted to a server that is not this machine'),
    new Option('--timeout <seconds>', 'how long one answer may take')
      .default(timeoutSecondsDefault)
      .argParser((text) => wholeNumber(text, 1, timeoutSecondsMax)),
  ];
}

/** Adds what every command has which asks the operations API. */
export function withConnection(command: Command): Command {
  for (const option of connectionOptions()) command.addOption(option.helpGroup(heading));
  return command;
}

export interface ReasonFlags {
  readonly reason: string;
}

const reasonText = 'why: kept in the audit and shown to colleagues, so nothing personal';
/** Where what was done says enough by itself. */
const reasonDefault = 'asked for on the command line';

/** For what decides over an intent or a record. */
export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', reasonText, parseReason);
}

export function withReasonIfGiven(command: Command): Command {
  return command.option('--reason <text>', reasonText, parseReason, reasonDefault);
}

/** Adds what every command has that changes something. */
export function withAct(command: Command, reason: typeof withReason = withReasonIfGiven): Command {
  return withConnection(withOutput(reason(command)));
}
