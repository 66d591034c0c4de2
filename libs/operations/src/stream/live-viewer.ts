import type { CancelTimer, Clock } from '#platform';

/** What may lie here for a viewer, in bytes, beyond what its connection holds: whoever reads too slowly is let go. */
export const viewerBacklogBytesMax = 262_144;

/** The part of an HTTP answer that a viewer is written to. */
export interface ViewerAnswer {
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** For how long somebody may watch. */
export interface ViewerTerms {
  readonly clock: Clock;
  readonly endsInMs: number;
  readonly isStillIn?: (() => boolean) | undefined;
  /** Called once, however it ends. */
  readonly onOver: () => void;
}

/** One open stream. */
export class LiveViewer {
  private isOver = false;
  private readonly stopWatch: CancelTimer;

  constructor(
    private readonly answer: ViewerAnswer,
    private readonly terms: ViewerTerms,
  ) {
    const { clock, endsInMs, onOver } = terms;
    this.stopWatch = clock.after(endsInMs, () => {
      this.end();
    });
    answer.once('close', () => {
      if (!this.isOver) this.over();
      onOver();
    });
  }

  /** What cannot be written soon is not kept: its viewer comes back and is told how things stand. */
  write(text: string): void {
    if (this.isOver) return;
    if (this.answer.writableLength > viewerBacklogBytesMax) this.drop();
    else this.answer.write(text);
  }

  /** At once: who has not read everything by now will not be waited for. */
  end(): void {
    if (this.isOver) return;
    this.over();
    if (this.answer.writableLength > 0) this.answer.destroy();
    else this.answer.end();
  }

  /** Whoever's token was taken away watches no longer. */
  endUnlessAdmitted(): void {
    if (this.terms.isStillIn?.() === false) this.end();
  }

  private drop(): void {
    this.over();
    this.answer.destroy();
  }

  private over(): void {
    this.isOver = true;
    this.stopWatch();
  }
}
