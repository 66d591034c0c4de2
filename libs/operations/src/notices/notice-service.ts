import { Injectable } from '@nestjs/common';

import type { NoticeDelivery, NoticesEnvironment, NoticesView, NoticeTrial, NoticeTrialResult } from '#contracts';
import { Clock, Random } from '#platform';

import type { Actor } from '../access/operator.js';
import { auditContextOf } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import { composeTrial, conditionText } from './compose-notice.js';
import type { KeptNotice } from './notice-repository.js';
import { NoticeRepository } from './notice-repository.js';
import type { Channel } from './notice-settings.js';
import { channelsOf, NoticeSettings } from './notice-settings.js';
import { NotTakenError, sendNotice } from './send-notice.js';

function stateOf({ deliveredAt, dueAt }: KeptNotice): NoticeDelivery['state'] {
  if (deliveredAt !== null) return 'delivered';
  return dueAt === null ? 'given-up' : 'under-way';
}

function toDelivery(notice: KeptNotice): NoticeDelivery {
  const { noticeId: id, channel, isTrial, content, madeAt, deliveredAt, attempts, dueAt, problem } = notice;
  return {
    ...{ id, channel, state: stateOf(notice), isTrial, text: content.data.text, attempts, problem },
    ...{ madeAt: isoTime(madeAt), deliveredAt: isoTimeOrNull(deliveredAt), nextAt: isoTimeOrNull(dueAt) },
  };
}

/** Whom notices go to, what came of them; and trials. */
@Injectable()
export class NoticeService {
  /** A trial is sent at once, one after the other: whoever asks for them must not flood a relay. */
  private isTrying = false;

  constructor(
    private readonly settings: NoticeSettings,
    private readonly notices: NoticeRepository,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async list(): Promise<NoticesView> {
    const conditions = await this.notices.listConditions();
    return {
      channels: [...channelsOf(this.settings.current())],
      conditions: conditions.map(({ since, detail }) => {
        return { ...detail, since: isoTime(since), text: conditionText(detail) };
      }),
      deliveries: (await this.notices.list()).map(toDelivery),
    };
  }

  /** @throws {ApiProblem} where nobody would be told, or a trial is under way */
  async try({ reason }: NoticeTrial, actor: Actor): Promise<NoticeTrialResult> {
    const settings = this.settings.current();
    if (settings === null) {
      const detail = 'Set NOTICE_WEBHOOK_URL or NOTICE_SMTP_URL: docs/operations/notices.md.';
      throw new ApiProblem({ status: 409, code: 'no-notices', title: 'Notices go to nobody', detail });
    }
    if (this.isTrying) {
      throw new ApiProblem({ status: 409, code: 'trial-under-way', title: 'A trial is under way: wait for its end' });
    }
    this.isTrying = true;
    try {
      await this.notices.recordTrial(auditContextOf(actor, reason, this.clock));
      return { deliveries: await Promise.all(channelsOf(settings).map((channel) => this.tryOne(channel, settings))) };
    } finally {
      this.isTrying = false;
    }
  }

  private async tryOne(channel: Channel, settings: NoticesEnvironment): Promise<NoticeDelivery> {
    const { clock, notices } = this;
    const madeAt = clock.now();
    const sent = { noticeId: this.random.uuid(), channel, content: composeTrial(settings, madeAt), attempts: 1 };
    const problem = await this.problemOf(channel, sent, settings);
    const deliveredAt = problem === null ? clock.now() : null;
    const kept: KeptNotice = { ...sent, isTrial: true, madeAt, dueAt: null, deliveredAt, problem };
    await notices.addTrial(kept);
    return toDelivery(kept);
  }

  private async problemOf(
    channel: Channel,
    sent: Pick<KeptNotice, 'noticeId' | 'content'>,
    settings: NoticesEnvironment,
  ): Promise<string | null> {
    try {
      const { signal } = new AbortController();
      await sendNotice(channel, sent, { settings, now: this.clock.now(), signal });
      return null;
    } catch (error) {
      if (error instanceof NotTakenError) return error.problem;
      throw error;
    }
  }
}
