import { ApiProblem } from '../../problems/api-problem.js';

/** Signatures looked at together: they share their threads with whatever else this process does beside its event loop. */
const checksAtOnceMax = 2;
/** Tokens that wait for that, for some tenths of a second: each takes 0.1 (RS256) to 0.2 ms (ES256). */
const checksWaitingMax = 1_000;

/** Signatures are looked at one after the other: whoever sends many forged ones gets no more of the processor than that. */
export class CheckQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @throws {ApiProblem} 503 where too many wait already */
  async run<Result>(check: () => Promise<Result>): Promise<Result> {
    await this.enter();
    try {
      return await check();
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.running < checksAtOnceMax) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= checksWaitingMax) {
      const headers = { 'retry-after': '1' };
      throw new ApiProblem({ status: 503, code: 'too-many-tokens', title: 'Too many tokens at once', headers });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Whoever waits takes the place over. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}
