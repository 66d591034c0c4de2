import { Get } from '@nestjs/common';

import type { GroupList, GroupView } from '#contracts';
import { groupListSchema } from '#contracts';
import { Clock } from '#platform';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { CostlyAnswers } from '../requests/costly-answers.js';
import { isoTime } from '../requests/read-request.js';
import type { FailureGroup } from './list-groups.js';
import { FailureGroupRepository } from './list-groups.js';
import { sharedByMin, CommonMessages } from './common-messages.js';

/** Null parts of a group cannot be asked for: they are left out. */
function queryOf({ status, program, operation, reason, code, fingerprint }: FailureGroup): GroupView['query'] {
  const parts = { status, program, operation, reason, code, fingerprint };
  return Object.fromEntries(Object.entries(parts).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Whether it is shown is for each group to say: others of the same words may be of another program. */
function wordingOf({ fingerprint, members }: FailureGroup, wordings: ReadonlyMap<string, string>): string | null {
  return fingerprint === null || members < sharedByMin ? null : (wordings.get(fingerprint) ?? null);
}

function toView(group: FailureGroup, wordings: ReadonlyMap<string, string>): GroupView {
  const { firstAt, lastAt, hours, money, common, operation, ...rest } = group;
  return {
    ...rest,
    operation: operation as GroupView['operation'],
    firstAt: isoTime(firstAt),
    lastAt: isoTime(lastAt),
    wording: wordingOf(group, wordings),
    money: [...money],
    common: { intents: common.intents, stores: [...common.stores], sources: [...common.sources] },
    hours: hours.map(({ at, intents }) => ({ at: isoTime(at), intents })),
    query: queryOf(group),
  };
}

/** What is wrong, by cause. */
@ApiController('groups')
export class GroupsController {
  private readonly answers: CostlyAnswers<GroupList>;

  constructor(
    private readonly groups: FailureGroupRepository,
    private readonly clock: Clock,
    private readonly wordings: CommonMessages,
  ) {
    this.answers = new CostlyAnswers(clock);
  }

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Failures by cause', answer: groupListSchema })
  async list(@ByActor() { programs }: Actor): Promise<GroupList> {
    return this.answers.get(JSON.stringify(programs), () => this.read(programs));
  }

  private async read(programs: Actor['programs']): Promise<GroupList> {
    const groups = await this.groups.list({ programs, now: this.clock.now() });
    const wordings = await this.wordings.of(groups);
    return { items: groups.map((group) => toView(group, wordings)) };
  }
}
