import { Injectable } from '@nestjs/common';

import type { JobRequest, Program, ProgramsFile } from '#contracts';
import { REREAD_TOPIC_RATE } from '#contracts';
import { judgeScheduleTime } from '#members';

import { AccessSettings } from '../access/access-settings.js';
import type { Actor } from '../access/operator.js';
import { authorize, mayAct, maySee, programMeant } from '../access/operator.js';
import { personalNeedsAdmin } from './kinds/export/export-reading.js';
import { MemberRepository } from '../members/member-repository.js';
import { noSuchMember } from '../members/member-service.js';
import { given } from '../partner-reading/listing-filter.js';
import { ApiProblem } from '../problems/api-problem.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { CorrectionPlans } from './kinds/correct/correct-order.js';
import { AskPlans } from './kinds/ask/ask-order.js';
import { cancelOrder, resolveOrder } from './kinds/decide/decide-order.js';
import { RecordOrders } from './kinds/records/record-orders.js';
import { replayOrder } from './kinds/replay/replay-order.js';
import { SettlePlans } from './kinds/settle/settle-order.js';
import { PlannedCommands } from '../requests/planned-commands.js';
import { refuseRequest } from '../requests/read-request.js';
import { TopicRules } from './kinds/reread-topic/topic-reader.js';
import { scheduleTimeOf } from './kinds/schedule/schedule-work.js';
import type { JobOrder, RequestOf } from './job-order.js';
import { wholeKinds } from './job-order.js';
import type { JobPace } from './job-repository.js';

type Orders = {
  readonly [K in JobRequest['kind']]: (body: RequestOf<K>, actor: Actor, now: number) => JobOrder | Promise<JobOrder>;
};

function noSuchProgram(): ApiProblem {
  const title = 'The programs file has no such program';
  return new ApiProblem({ status: 422, code: 'no-such-program', title });
}

type PacedRequest = RequestOf<'reconcile'> | RequestOf<'provision'>;

function paceOf({ ratePerSecond, canary }: Pick<PacedRequest, 'ratePerSecond' | 'canary'>): JobPace {
  return { ratePerSecond: ratePerSecond ?? null, isCanary: canary ?? false };
}

function filterOf({
  updatedSince,
  status,
  tier,
  template,
}: Pick<RequestOf<'reconcile'>, 'updatedSince' | 'status' | 'tier' | 'template'>): Readonly<Record<string, unknown>> {
  return given({ updatedSince, status, tier, template });
}

function scheduleOrder({ at, select, change, name, dryRun }: RequestOf<'schedule'>, now: number): JobOrder {
  const judged = judgeScheduleTime(scheduleTimeOf(at), now);
  if (judged.kind === 'refused') refuseRequest(`at: ${judged.rule}`);
  if (select.memberId !== undefined && change?.message !== undefined) {
    refuseRequest('change.message: to one member it is personal, and would be kept in the clear; send an event');
  }
  const changed = change === undefined ? {} : { change: given(change) };
  return { request: { ...given({ name, dryRun }), at, select: given(select), ...changed }, detail: { dryRun } };
}

/** Who may ask for such jobs: of the others any operator. */
const adminsKinds: readonly JobRequest['kind'][] = ['erase'];

function sharedAtPartner(program: string): ApiProblem {
  const detail = `${program} and programs that your token is not limited to are one program of the partner.`;
  return new ApiProblem({ status: 403, code: 'limited-to-programs', title: 'You may not do this', detail });
}

/**
 * A program whose passes are to be read or changed at the partner. There two programs of the file may be one: then whoever
 * may not know of both has no part in its passes.
 * @throws {ApiProblem} where they may not know of it, or the programs file in force has no such program
 */
export function requireProgram(
  { programs }: ProgramsFile,
  name: string,
  { programs: limit }: Pick<Actor, 'programs'>,
): Program {
  programMeant(limit, name);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) return refuseRequest('program: the programs file has no such program');
  const { brandId, programId } = program;
  const isHidden = ([other, place]: [string, Program]): boolean =>
    !maySee(limit, other) && place.brandId === brandId && place.programId === programId;
  if (Object.entries(programs).some(isHidden)) throw sharedAtPartner(name);
  return program;
}

/** What every order is judged by. */
@Injectable()
export class OrderRules {
  constructor(
    readonly access: AccessSettings,
    readonly topics: TopicRules,
  ) {}
}

/** How what is in doubt may be settled. */
@Injectable()
export class DoubtPlans {
  constructor(
    readonly lists: SettlePlans,
    readonly looks: AskPlans,
  ) {}
}

/** What is foretold of items when they are frozen. */
@Injectable()
export class ItemPlans {
  constructor(
    readonly commands: PlannedCommands,
    readonly corrections: CorrectionPlans,
    readonly doubts: DoubtPlans,
    readonly records: RecordOrders,
  ) {}
}

/** What is stored of a request, by kind. */
@Injectable()
export class JobOrders {
  constructor(
    private readonly rules: OrderRules,
    private readonly programs: ProgramsControl,
    private readonly members: MemberRepository,
    private readonly plans: ItemPlans,
  ) {}

  /** @throws {ApiProblem} where who asks may not, or what is asked for makes no sense */
  async of(body: JobRequest, actor: Actor, now: number): Promise<JobOrder> {
    const role = adminsKinds.includes(body.kind) ? 'admin' : 'operator';
    authorize(actor, { role, programs: wholeKinds.includes(body.kind) ? 'whole' : 'named' }, this.rules.access);
    // The compiler cannot see that both are of one kind.
    const order = this.orders[body.kind] as (
      ...asked: readonly [JobRequest, Actor, number]
    ) => JobOrder | Promise<JobOrder>;
    return order(body, actor, now);
  }

  private readonly orders: Orders = {
    replay: (body, actor) => replayOrder(body, actor, this.plans.commands.tools),
    resolve: resolveOrder,
    cancel: cancelOrder,
    correct: (body, actor) => this.plans.corrections.order(body, actor),
    settle: (body, actor, now) => this.plans.doubts.lists.order(body, actor, now),
    ask: (body, actor, now) => this.plans.doubts.looks.order(body, actor, now),
    resubmit: (body) => this.plans.records.resubmit(body),
    discard: (body) => this.plans.records.discard(body),
    reconcile: ({ program, repair, adopt, ...body }, actor) => {
      requireProgram(this.programs.file(), program, actor);
      return { request: { ...filterOf(body), repair, adopt }, pace: paceOf(body) };
    },
    reread: ({ program, dryRun }, actor) => {
      requireProgram(this.programs.file(), program, actor);
      return { request: { dryRun }, detail: { dryRun } };
    },
    'reread-topic': (body, _actor, now) => {
      const { topic, source, from, dryRun, ratePerSecond = REREAD_TOPIC_RATE } = body;
      this.requireReadable(body, now);
      const request = { ...given({ topic, source }), from, dryRun };
      return { request, detail: request, pace: { ratePerSecond, isCanary: false } };
    },
    schedule: (body, actor, now) => {
      requireProgram(this.programs.file(), body.program, actor);
      return scheduleOrder(body, now);
    },
    provision: ({ program, apply, ...body }) => {
      if (program !== undefined && !Object.hasOwn(this.programs.file().programs, program)) throw noSuchProgram();
      return { request: { apply }, pace: paceOf(body) };
    },
    erase: async ({ program, memberId }, actor) => {
      programMeant(actor.programs, program);
      if ((await this.members.find({ program, memberId })) === null) throw noSuchMember();
      return { request: { memberId }, requestAfterwards: { memberId: this.members.nameOnceErased(memberId) } };
    },
    export: async ({ from = null, to = null, includePersonal, program, memberId }, actor) => {
      if (includePersonal && !mayAct(actor, 'admin')) throw personalNeedsAdmin();
      const detail = { from, to, includePersonal };
      if (memberId === undefined || program === undefined) return { request: detail, detail };
      programMeant(actor.programs, program);
      const found = await this.members.find({ program, memberId });
      if (found === null) throw noSuchMember();
      // The request names the member until they are erased; the audit knows the lane alone.
      return { request: { ...detail, memberId, laneId: found.laneId }, detail: { ...detail, laneId: found.laneId } };
    },
  };

  /** @throws {ApiProblem} */
  private requireReadable({ topic, source, from }: RequestOf<'reread-topic'>, now: number): void {
    const { topics } = this.rules;
    if (!topics.isReadable) refuseRequest('kind: this process has no Kafka (KAFKA_BROKERS)');
    if (topic !== undefined && topics.sourceOf(topic) === null) {
      refuseRequest('topic: no source of the programs file in force reads it');
    }
    const { sources = {} } = this.programs.file();
    if (source !== undefined && !Object.hasOwn(sources, source)) {
      refuseRequest('source: the programs file in force has no such source');
    }
    const knownSince = topics.knownSince(now);
    if (typeof from === 'string' && Date.parse(from) < knownSince) {
      const since = new Date(knownSince).toISOString();
      refuseRequest(
        `from: what is older than ${since} could count twice: identities are remembered no longer (RETENTION_DEDUP_DAYS)`,
      );
    }
  }
}
