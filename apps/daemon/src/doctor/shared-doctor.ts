import type { DoctorReport } from '#contracts';
import type { Clock, Logger } from '#platform';
import { createLogger, errorFields, SystemClock } from '#platform';

import type { ReadParts } from './doctor.js';
import { diagnose } from './doctor.js';

/** A report that is no older is told again: whoever presses the key twice must not ask the partner for a token each time. */
const reportMsMax = 5_000;

/** The doctor of a running process: one examination at a time, whoever asks. */
export class SharedDoctor {
  /** What goes wrong stands in the report; in the log it would look like trouble of the process itself. */
  private readonly quiet = createLogger({ level: 'silent', service: 'loyaltyd' });
  private running: Promise<DoctorReport> | null = null;
  private endedAt = -Infinity;

  constructor(
    private readonly read: () => ReadParts,
    private readonly logger: Logger,
    private readonly clock: Pick<Clock, 'monotonic'> = new SystemClock(),
  ) {}

  async examine(): Promise<DoctorReport> {
    if (this.running !== null && this.clock.monotonic() - this.endedAt > reportMsMax) this.running = null;
    this.running ??= this.examineOnce();
    return this.running;
  }

  private async examineOnce(): Promise<DoctorReport> {
    this.endedAt = Infinity;
    try {
      // A clock of its own: the process's is anchored to Postgres, and would find nothing wrong with this machine's.
      const { report, released } = await diagnose(this.read(), { clock: new SystemClock(), logger: this.quiet });
      void released;
      return report;
    } catch (error) {
      this.logger.error(errorFields(error), 'the doctor broke');
      throw error;
    } finally {
      this.endedAt = this.clock.monotonic();
    }
  }
}
