import { Get } from '@nestjs/common';

import type { DoctorReport } from '#contracts';
import { doctorReportSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import { ApiOperation, Roles } from '../access/route-rules.js';

/** Looks at everything that a process depends on. */
export abstract class Doctor {
  abstract examine(): Promise<DoctorReport>;
}

/** What is wrong with everything that this process depends on. Answered with 200, whatever was found. */
@ApiController('doctor')
export class DoctorController {
  constructor(private readonly doctor: Doctor) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'What is wrong, and how to mend it', answer: doctorReportSchema })
  async examine(): Promise<DoctorReport> {
    return this.doctor.examine();
  }
}
