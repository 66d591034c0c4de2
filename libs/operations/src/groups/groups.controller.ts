import { Get } from '@nestjs/common';

import type { GroupList } from '#contracts';
import { groupListSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { GroupService } from './group-service.js';

/** What is wrong, by cause. */
@ApiController('groups')
export class GroupsController {
  constructor(private readonly groups: GroupService) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Failures by cause', answer: groupListSchema })
  async list(@ByActor() { programs }: Actor): Promise<GroupList> {
    return this.groups.list(programs);
  }
}
