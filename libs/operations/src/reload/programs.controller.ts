import { Get } from '@nestjs/common';

import type { DialectView, ProgramsView } from '#contracts';
import { dialectViewSchema, programsViewSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import { ApiOperation, Roles } from '../access/route-rules.js';
import { ProgramsService } from './programs-service.js';

/** The programs file in force, and what changed. It names no secret: those are in variables and files of their own. */
@ApiController('programs')
export class ProgramsController {
  constructor(private readonly programs: ProgramsService) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'The programs file as it was read, and what changed', answer: programsViewSchema })
  async show(): Promise<ProgramsView> {
    return this.programs.show();
  }
}

/** What is assumed of the partner where its specification leaves it open. */
@ApiController('dialect')
export class DialectController {
  constructor(private readonly programs: ProgramsService) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'What is assumed of the partner', answer: dialectViewSchema })
  show(): DialectView {
    return this.programs.showDialect();
  }
}
