import { Injectable } from '@nestjs/common';

import type { GroupList, GroupView } from '#contracts';
import { Clock } from '#platform';

import type { ProgramLimit } from '../access/operator.js';
import { CostlyAnswers } from '../requests/costly-answers.js';
import { isoTime } from '../requests/read-request.js';
import { CommonMessages, sharedByMin } from './common-messages.js';
import type { FailureGroup } from './list-groups.js';
import { FailureGroupRepository } from './list-groups.js';

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

/** What the partner says of an intent, by its program and fingerprint; null: nothing that may be shown. */
export type PartnerSays = (program: string, fingerprint: string | null) => string | null;

/** What is wrong, by cause. */
@Injectable()
export class GroupService {
  private readonly answers: CostlyAnswers<GroupList>;

  constructor(
    private readonly groups: FailureGroupRepository,
    private readonly clock: Clock,
    private readonly wordings: CommonMessages,
  ) {
    this.answers = new CostlyAnswers(clock);
  }

  /** @param programs only of these; null: of all */
  async list(programs: ProgramLimit): Promise<GroupList> {
    return this.answers.get(JSON.stringify(programs), () => this.read(programs));
  }

  async partnerSays(programs: ProgramLimit): Promise<PartnerSays> {
    const { items } = await this.list(programs);
    return (program, fingerprint) =>
      items.find((group) => group.program === program && group.fingerprint === fingerprint && group.wording !== null)
        ?.wording ?? null;
  }

  private async read(programs: ProgramLimit): Promise<GroupList> {
    const groups = await this.groups.list({ programs, now: this.clock.now() });
    const wordings = await this.wordings.of(groups);
    return { items: groups.map((group) => toView(group, wordings)) };
  }
}
