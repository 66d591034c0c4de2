import { Get, Inject } from '@nestjs/common';

import type { DoctorReport } from '#contracts';
import { doctorReportSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import { ApiOperation, Roles } from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';

/** What is wrong with everything that this process depends on. Answered with 200, whatever was found. */
@ApiController('doctor')
export class DoctorController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'What is wrong, and how to mend it', answer: doctorReportSchema })
  async examine(): Promise<DoctorReport> {
    return this.settings.examine();
  }
}
