import type { Status } from '../run/status.js';
import { statusBlock, statusLine } from './status-text.js';

/** Where progress is written: a terminal's block is written over, anything else gets a line now and then. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const lineEveryMs = 2_000;

/** Live progress. Standard output stays free for results. */
export class Progress {
  private linesUp = 0;
  private nextLineAt = 0;

  constructor(private readonly output: ProgressOutput) {}

  show(status: Status): void {
    if (this.output.isTTY === true) this.redraw(status);
    else this.log(status);
  }

  /** The block stays as it is; what is written from now on goes below. */
  end(): void {
    this.linesUp = 0;
  }

  private redraw(status: Status): void {
    const lines = statusBlock(status);
    const back = this.linesUp === 0 ? '' : `\u001b[${this.linesUp}A`;
    this.output.write(`${back}${lines.map((line) => `\u001b[2K${line}\n`).join('')}`);
    this.linesUp = lines.length;
  }

  private log(status: Status): void {
    if (performance.now() < this.nextLineAt) return;
    this.nextLineAt = performance.now() + lineEveryMs;
    this.output.write(`${statusLine(status)}\n`);
  }
}
