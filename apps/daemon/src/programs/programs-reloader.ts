import type { ProgramsFile } from '#contracts';
import { DialectError } from '#gateway';
import type { ProgramsInForce, TakenPrograms } from '#intents';
import type { RecordReload, ReloadOutcome } from '#operations';
import type { Clock, Logger } from '#platform';

import type { LoadedPrograms, ProgramsHolder } from './programs-holder.js';
import { howToAccept, ProgramsFileError, takenPrograms } from './programs-holder.js';

/** Problems of a file that are logged and reported. */
const problemsShownMax = 50;
/** Length of the problem that is reported to the other processes. */
const problemCharsMax = 500;

export interface ReloaderParts {
  readonly programs: ProgramsHolder;
  /** Throws where a file's dialects are wrong; changes nothing. */
  readonly checkDialects: (file: ProgramsFile) => void;
  /** Says why a file must not come into force, by what is there; nothing: it is in force for all processes. */
  readonly admit: (taken: TakenPrograms) => Promise<readonly string[]>;
  /** Lets everything work by a file that was checked. */
  readonly apply: (file: ProgramsFile) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  /** Of this process, as others know it. */
  readonly host: string;
}

/** Who had the file read again, for the log. */
export type ReloadCause = 'signal' | 'operator' | 'another process' | 'the file changed';

function hexOf({ hash }: LoadedPrograms): string {
  return Buffer.from(hash).toString('hex');
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof ProgramsFileError) return error.problems.slice(0, problemsShownMax);
  if (error instanceof DialectError) {
    return error.problems.slice(0, problemsShownMax).map((problem) => `${error.source}: ${problem}`);
  }
  throw error;
}

/** Reads the programs file again: all of it is taken over, dialects included, or nothing. */
export class ProgramsReloader {
  private since: number;
  private queue: Promise<unknown> = Promise.resolve();
  private lastProblems: readonly string[] = [];

  constructor(private readonly parts: ReloaderParts) {
    this.since = parts.clock.now();
  }

  /** Before anything works by the file of the start. @throws {ProgramsFileError} where it must not come into force */
  async open(): Promise<void> {
    const { admit, programs } = this.parts;
    const problems = await admit(this.takenOf(programs.current));
    if (problems.length > 0) throw new ProgramsFileError([...problems, howToAccept]);
  }

  get inForce(): ProgramsInForce {
    return { hash: hexOf(this.parts.programs.current), since: this.since };
  }

  /** What was wrong with the file that was read last; null when nothing was. */
  get problem(): string | null {
    return this.lastProblems[0]?.slice(0, problemCharsMax) ?? null;
  }

  /** @param record called when the file is valid, before anything changes; where it throws or names problems, nothing does */
  async reload(cause: ReloadCause, record: RecordReload = (read) => this.admit(read)): Promise<ReloadOutcome> {
    // One after the other: of two readings the later one must win.
    const turn = this.queue.then(() => this.reloadOnce(cause, record));
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async reloadOnce(cause: ReloadCause, record: RecordReload): Promise<ReloadOutcome> {
    const loaded = await this.read(cause);
    if (loaded === null) return { kind: 'invalid', problems: this.lastProblems };
    const shown = { hash: hexOf(loaded), changed: hexOf(loaded) !== this.inForce.hash };
    const problems = await record({ loaded: shown, taken: this.takenOf(loaded) });
    if (problems.length > 0) {
      this.refused(problems, cause);
      return { kind: 'dangerous', problems };
    }
    this.lastProblems = [];
    if (shown.changed) this.takeOver(loaded);
    // An unchanged file is not logged, unless an operator had it read.
    if (shown.changed || cause === 'signal' || cause === 'operator') {
      this.parts.logger.info({ ...shown, cause }, 'programs file read again');
    }
    return { kind: 'done', ...shown, programs: Object.keys(loaded.file.programs) };
  }

  /** Without a person who accepts anything. */
  private async admit({ loaded, taken }: Parameters<RecordReload>[0]): Promise<readonly string[]> {
    return loaded.changed ? this.parts.admit(taken) : [];
  }

  private takenOf(loaded: LoadedPrograms): TakenPrograms {
    return takenPrograms(loaded, this.parts.host);
  }

  /** Null: it cannot be taken over. */
  private async read(cause: ReloadCause): Promise<LoadedPrograms | null> {
    const { programs, checkDialects } = this.parts;
    try {
      const loaded = await programs.read();
      checkDialects(loaded.file);
      return loaded;
    } catch (error) {
      this.refused(problemsOf(error), cause);
      return null;
    }
  }

  private takeOver(loaded: LoadedPrograms): void {
    const { programs, apply, clock } = this.parts;
    programs.takeOver(loaded);
    apply(loaded.file);
    this.since = clock.now();
  }

  private refused(problems: readonly string[], cause: ReloadCause): void {
    const isNews = problems.join('\n') !== this.lastProblems.join('\n');
    this.lastProblems = problems;
    // A process that follows another one, or a change, reads again every two seconds.
    if (isNews || cause === 'signal' || cause === 'operator') {
      this.parts.logger.error({ problems, cause }, 'programs file not taken over');
    }
  }
}
