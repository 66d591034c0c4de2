import type { ProcessesState, ProcessFigures, ProcessReport, ProcessRepository } from '#intents';
import { disagreeingSince, processReportMs } from '#intents';
import type { Clock, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import { WorkLoops } from '../lifecycle/loops.js';
import type { ProgramsReloader } from './programs-reloader.js';

/**
 * How long after a request a process that works by another file reads its own again: a mounted file changes in
 * every pod by itself, some of them minutes later.
 */
const followMsMax = 600_000;
/** A roll-out takes some time; a disagreement that lasts longer is logged. */
const disagreementMsMax = 60_000;

export interface ProgramsWatchParts {
  readonly processes: ProcessRepository;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly reloader: ProgramsReloader;
  readonly self: Pick<ProcessReport, 'processId' | 'host' | 'roles'>;
  /** The encryption keys that this process knows by now. */
  readonly keyIds: () => readonly string[];
  /** What it knows of its own work. */
  readonly figures: () => ProcessFigures;
  /** Of the programs file: see `fileSignature`. */
  readonly signature: () => Promise<string | null>;
}

/**
 * Reports to the other processes which programs file this one works by, and follows an operator's request to read it again,
 * and a file that was changed.
 */
export class ProgramsWatch extends WorkLoops {
  private readonly startedAt: number;
  /** Of the file as it was read last; null: not yet by us. */
  private signatureRead: string | null = null;
  private signatureSeen: string | null = null;
  private disagreement: number | null = null;
  private isReported = false;

  constructor(private readonly parts: ProgramsWatchParts) {
    super();
    this.startedAt = parts.clock.now();
    // Every two seconds.
    const loop = new BackgroundLoop({
      ...parts,
      workOnce: () => this.turn(),
      close: () => this.leave(),
      failureMessage: 'the other processes were not told which programs file is in force',
    });
    this.add(loop);
  }

  /** How long processes have worked by different files, in seconds; 0: they do not. */
  get disagreeingSeconds(): number {
    const since = this.disagreement;
    return since === null ? 0 : Math.max(0, this.parts.clock.now() - since) / 1_000;
  }

  /** @returns after how many milliseconds to do it again */
  async turn(): Promise<number> {
    await this.followFile();
    const { processes, reloader, self, clock } = this.parts;
    const { inForce: programs, problem: programsProblem } = reloader;
    const told = { keyIds: this.parts.keyIds(), figures: this.parts.figures() };
    const report = { ...self, ...told, startedAt: this.startedAt, programs, programsProblem };
    const state = await processes.report(report, clock.now());
    const hasFollowed = await this.followRequest(state);
    this.judge(state);
    // The operator's request waits for this process to report it.
    return hasFollowed ? 0 : processReportMs;
  }

  /** Only what has not changed for a turn is read: a file that is just being written could be valid and half. */
  private async followFile(): Promise<void> {
    const signature = await this.parts.signature();
    const isStill = signature === this.signatureSeen;
    this.signatureSeen = signature;
    if (signature === null || !isStill || signature === this.signatureRead) return;
    await this.parts.reloader.reload('the file changed');
    // Where the database could not be asked it is read again.
    this.signatureRead = signature;
  }

  /** @returns whether this process now works by the file that was asked for */
  private async followRequest({ reload }: ProcessesState): Promise<boolean> {
    const { clock, reloader } = this.parts;
    if (reload === null || clock.now() - reload.at > followMsMax || reload.hash === reloader.inForce.hash) return false;
    await reloader.reload('another process');
    return reload.hash === reloader.inForce.hash;
  }

  private judge({ others }: ProcessesState): void {
    this.disagreement = disagreeingSince([...others, this.parts.reloader.inForce]);
    const { logger } = this.parts;
    const isLong = this.disagreeingSeconds * 1_000 > disagreementMsMax;
    if (isLong && !this.isReported) {
      const { hash } = this.parts.reloader.inForce;
      const hashes = [...new Set(others.map((other) => other.hash))];
      logger.error(
        { hash, others: hashes },
        'processes have worked by different programs files for more than a minute',
      );
    }
    if (this.isReported && this.disagreement === null) {
      logger.info({}, 'all processes work by the same programs file again');
    }
    this.isReported = this.disagreement !== null && (this.isReported || isLong);
  }

  private async leave(): Promise<void> {
    const { processes, self } = this.parts;
    await processes.leave(self.processId).catch(() => undefined);
  }
}
