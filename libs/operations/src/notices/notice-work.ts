import { Injectable } from '@nestjs/common';

import type { NoticesEnvironment } from '#contracts';
import type { Logger, Random, SqlSession } from '#platform';
import { BackgroundLoop, Clock } from '#platform';

import { StatsService } from '../stats/stats-service.js';
import { composeNotice, dueOf } from './compose-notice.js';
import { conditionsIn } from './conditions.js';
import type { ClaimedNotice } from './notice-repository.js';
import { NoticeRepository } from './notice-repository.js';
import type { Channel } from './notice-settings.js';
import { channelsOf, NoticeSettings } from './notice-settings.js';
import { NotTakenError, sendNotice } from './send-notice.js';

/** How often one looks whether there is something to tell: whichever process comes first. */
export const lookMs = 10_000;
/** Who has claimed a notice sends it within this time, or dies: then it is due again. */
export const claimMs = 60_000;
/** A notice is tried so often, then what it said is told by the next one. */
export const attemptsMax = 8;
const retryMsMin = 30_000;
const retryMsMax = 1_800_000;
const retryFactor = 3;

/** When an attempt that failed is made again; null: never. */
export function retryAt({ attempts }: Pick<ClaimedNotice, 'attempts'>, now: number): number | null {
  if (attempts >= attemptsMax) return null;
  return now + Math.min(retryMsMax, retryMsMin * retryFactor ** (attempts - 1));
}

/** Tells of what is wrong: any number of processes may look and send, and each thing is told once. */
@Injectable()
export class NoticeWork {
  private readonly stopping = new AbortController();

  constructor(
    private readonly settings: NoticeSettings,
    private readonly notices: NoticeRepository,
    private readonly stats: StatsService,
    private readonly clock: Clock,
  ) {}

  /** Not yet started. */
  open({ random, logger }: { readonly random: Random; readonly logger: Logger }): BackgroundLoop {
    return new BackgroundLoop({
      ...{ clock: this.clock, random, logger },
      workOnce: () => this.turn(logger),
      close: async () => undefined,
      failureMessage: 'it was not looked whether there is something to tell',
    });
  }

  /** What is being sent is given up: another process sends it. */
  stop(): void {
    this.stopping.abort();
  }

  /** Looks, and sends what is due. @returns after how many milliseconds to look again @throws {DatabaseError} */
  async turn(logger: Pick<Logger, 'warn'>): Promise<number> {
    const settings = this.settings.current();
    const channels = channelsOf(settings);
    if (settings === null) return lookMs;
    await this.look(settings, channels);
    const now = this.clock.now();
    const claimed = await this.notices.claim(channels, now, now + claimMs);
    if (claimed === null) return lookMs;
    await this.send(claimed, settings, logger);
    return 0;
  }

  private async look(settings: NoticesEnvironment, channels: readonly Channel[]): Promise<void> {
    const { notices, clock } = this;
    if ((await notices.lookedAt()) > clock.now() - lookMs) return;
    const { overview } = await this.stats.current();
    const conditions = conditionsIn(overview, await notices.countDoubts(), settings);
    const now = clock.now();
    // What was read before the last look would take back what that one saw.
    const since = Math.min(now - lookMs, overview.at);
    await notices.look({ now, since, conditions }, async (session) => {
      for (const channel of channels) await this.addDue(session, channel, settings);
    });
  }

  private async addDue(session: SqlSession, channel: Channel, settings: NoticesEnvironment): Promise<void> {
    const madeAt = this.clock.now();
    const untold = await this.notices.findUntold(session, channel);
    const due = untold === null ? null : dueOf(untold, settings, madeAt);
    if (due === null) return;
    const content = composeNotice(due, settings, madeAt);
    await this.notices.add(session, { channel, content, madeAt, ...due });
  }

  private async send(
    claimed: ClaimedNotice,
    settings: NoticesEnvironment,
    logger: Pick<Logger, 'warn'>,
  ): Promise<void> {
    const { clock, stopping } = this;
    const { noticeId, channel, attempts } = claimed;
    try {
      await sendNotice(channel, claimed, { settings, now: clock.now(), signal: stopping.signal });
      await this.notices.settle(claimed, { nextAt: null, problem: null, now: clock.now() });
    } catch (error) {
      if (!(error instanceof NotTakenError)) throw error;
      if (stopping.signal.aborted) return;
      const { problem } = error;
      logger.warn({ notice: noticeId, channel, attempts, problem }, 'a notice was not taken');
      await this.notices.settle(claimed, { nextAt: retryAt(claimed, clock.now()), problem, now: clock.now() });
    }
  }
}
