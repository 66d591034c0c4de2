import type { OutputFormat } from '../../client/flags.js';

export interface LintOptions {
  /** Names of files; `-` is standard input. */
  readonly files: readonly string[];
  readonly programs: string | null;
  readonly dialect: string | null;
  readonly output: OutputFormat;
  /** Warnings make the run fail. */
  readonly strict: boolean;
  /** Only what is refused, ignored or warned about. */
  readonly quiet: boolean;
  /** RFC 3339: the time that the samples' times are judged by; `null`: the time at which each is read. */
  readonly now: string | null;
}
