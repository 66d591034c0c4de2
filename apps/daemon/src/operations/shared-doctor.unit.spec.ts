import type { DoctorReport } from '#contracts';
import { createLogger } from '#platform';

import { runDoctor } from '../commands/doctor.js';
import { SharedDoctor } from './shared-doctor.js';

const logger = createLogger({ level: 'silent', service: 'doctor-spec' });
/** Nothing is configured: everything is skipped. */
const nothing = (): Promise<{ readonly report: DoctorReport }> => runDoctor({ LOYALTYD_PROGRAMS: '/nonexistent.yaml' });

describe('the doctor of a running process', () => {
  it('examines once for all who ask at once, and for those who ask again within seconds', async () => {
    let nowMs = 0;
    let examinations = 0;
    const examine = (): ReturnType<typeof nothing> => {
      examinations += 1;
      return nothing();
    };
    const doctor = new SharedDoctor(examine, logger, { monotonic: () => nowMs });
    const [one, other] = await Promise.all([doctor.examine(), doctor.examine()]);
    expect(one).toBe(other);
    nowMs = 4_000;
    expect(await doctor.examine()).toBe(one);
    expect(examinations).toBe(1);
    nowMs = 10_000;
    expect(await doctor.examine()).not.toBe(one);
    expect(examinations).toBe(2);
    expect(one.ok).toBe(false);
  });

  it('tells whoever asked that it broke, and examines anew for the next', async () => {
    let isBroken = true;
    const examine = (): ReturnType<typeof nothing> => {
      if (isBroken) throw new Error('no environment');
      return nothing();
    };
    let nowMs = 0;
    const doctor = new SharedDoctor(examine, logger, { monotonic: () => nowMs });
    await expect(doctor.examine()).rejects.toThrow('no environment');
    isBroken = false;
    nowMs = 10_000;
    expect((await doctor.examine()).checks.length).toBeGreaterThan(5);
  });
});
