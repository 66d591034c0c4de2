import { Injectable } from '@nestjs/common';

import { acquireQuota, readGate, releaseQuota, replicaTtlMs } from '#intents';
import { Clock, Database, Random } from '#platform';

import { ApiProblem } from '../problems/api-problem.js';
import type { NamedProgram } from './reading-admission.js';
import { readingRate } from './reading-admission.js';

/** Looks of one process per second where nothing allows less. */
const looksPerSecondMax = 1;
/** How long a request waits for a look, at most, and how many do so in one process. */
const waitMsMax = 6_000;
const waitingMax = 4;

function refusal(status: number, code: string, detail: string, retryAfterMs = 1_000): ApiProblem {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return new ApiProblem({ status, code, title: 'The partner cannot be asked now', detail, headers });
}

/**
 * Lets a person ask the partner beside live delivery: one look at a time, within the part of the limit that delivery
 * leaves to those who read, and not while the partner wants rest or the program is paused.
 */
@Injectable()
export class LookAdmission {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();
  private nextAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** @throws {ApiProblem} 429, 409 or 503: too many wait, the program is paused, the partner wants rest */
  async run<Value>(program: NamedProgram, look: () => Promise<Value>): Promise<Value> {
    if (this.waiting >= waitingMax) throw refusal(429, 'too-many-looks', `${waitingMax} others wait already.`);
    this.waiting += 1;
    const before = this.last;
    const own = before.then(() => this.inTurn(program, look));
    // The next request waits for the end, whatever it is.
    this.last = own.catch(() => undefined);
    try {
      return await own;
    } finally {
      this.waiting -= 1;
    }
  }

  private async inTurn<Value>(program: NamedProgram, look: () => Promise<Value>): Promise<Value> {
    const job = `look-${this.random.uuid()}`;
    try {
      await this.admit(program, job);
      return await look();
    } finally {
      await releaseQuota(this.database, { program: program.name, job });
    }
  }

  private async admit({ name, program }: NamedProgram, job: string): Promise<void> {
    const { database, clock } = this;
    const limit = program.limits.requestsPerSecond;
    const rate = readingRate(program, looksPerSecondMax);
    const until = clock.monotonic() + waitMsMax;
    for (;;) {
      const now = clock.now();
      const lease = await acquireQuota(database, { program: name, job, ratePerSecond: rate, now });
      // Where a job reads, delivery leaves room for it already: one look more is within that.
      const gate = lease ?? (await readGate(database, name, now));
      if (gate.isPaused) throw refusal(409, 'program-paused', `Somebody has paused ${name}.`);
      const knownFrom = lease === null || limit === null ? now : lease.since + replicaTtlMs;
      const paceMs = Math.max(0, this.nextAt - clock.monotonic());
      const waitMs = Math.max(paceMs, knownFrom - now, (gate.closedUntil ?? now) - now);
      if (waitMs <= 0) {
        this.nextAt = clock.monotonic() + 1_000 / rate;
        return;
      }
      if (clock.monotonic() + waitMs > until) {
        throw refusal(
          503,
          'partner-resting',
          `The partner may be called again in ${Math.ceil(waitMs / 1_000)} s.`,
          waitMs,
        );
      }
      await clock.sleep(waitMs);
    }
  }
}
