import type { Command } from 'commander';
import { Option } from 'commander';

import type { OutputFormat } from '../output/formats.js';
import { outputFormats } from '../output/formats.js';
import { parseLimit, parseSeconds, parseSince } from './parse-options.js';

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

export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how it is shown').choices(outputFormats).default('table'),
  );
}

export function withWatch(command: Command): Command {
  return command.addOption(
    new Option('-w, --watch [seconds]', `look again and again, every ${watchSecondsDefault} s unless said otherwise`)
      .preset(String(watchSecondsDefault))
      .argParser(parseSeconds),
  );
}

/** Adds what lists have. */
export function withList(command: Command): Command {
  return withWatch(withOutput(command)).option('--limit <n>', 'how many at most, or `all`', parseLimit, limitDefault);
}

/** Adds what lists have whose items have a time. */
export function withSince(command: Command): Command {
  const text = 'not older than 2h, 30m, 7d, or than a time such as 2026-11-21T10:00:00Z';
  return command.option('--since <time>', text, parseSince);
}
