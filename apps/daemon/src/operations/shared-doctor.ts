import type { DoctorReport } from '#contracts';
import type { Doctor } from '#operations';
import type { Clock, Logger } from '#platform';
import { errorFields, SystemClock } from '#platform';

/** A report that is no older is given again: pressing the key twice must not ask the partner for a token twice. */
const reportMsMax = 5_000;

/** The doctor of a running process: one examination at a time, for all callers. */
export class SharedDoctor implements Doctor {
  private running: Promise<DoctorReport> | null = null;
  private endedAt = -Infinity;

  constructor(
    private readonly runDoctor: () => Promise<{ readonly report: DoctorReport }>,
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
      return (await this.runDoctor()).report;
    } catch (error) {
      this.logger.error(errorFields(error), 'the doctor broke');
      throw error;
    } finally {
      this.endedAt = this.clock.monotonic();
    }
  }
}
