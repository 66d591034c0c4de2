import { Get, Inject } from '@nestjs/common';

import type { GroupList, GroupView } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { isoTime } from '../requests/read-request.js';
import type { FailureGroup } from './list-groups.js';
import { listGroups } from './list-groups.js';

/** Null parts of a group cannot be asked for: they are left out. */
function queryOf({ status, program, operation, reason, code, fingerprint }: FailureGroup): GroupView['query'] {
  const parts = { status, program, operation, reason, code, fingerprint };
  return Object.fromEntries(Object.entries(parts).filter((entry): entry is [string, string] => entry[1] !== null));
}

function toView(group: FailureGroup): GroupView {
  const { firstAt, lastAt, hours, money, operation, ...rest } = group;
  return {
    ...rest,
    operation: operation as GroupView['operation'],
    firstAt: isoTime(firstAt),
    lastAt: isoTime(lastAt),
    money: [...money],
    hours: hours.map(({ at, intents }) => ({ at: isoTime(at), intents })),
    query: queryOf(group),
  };
}

/** What is wrong, by cause. */
@ApiController('groups')
export class GroupsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(@ByActor() { programs }: Actor): Promise<GroupList> {
    const { database, clock } = this.settings;
    return { items: (await listGroups(database, { programs, now: clock.now() })).map(toView) };
  }
}
