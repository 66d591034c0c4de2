import type { BeforeApplicationShutdown, DynamicModule, OnApplicationBootstrap } from '@nestjs/common';
import { Injectable, Module } from '@nestjs/common';

import type { Environment } from '#contracts';
import { WorkListener, WorkNotifier } from '#platform';

import { WorkLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';

/** In a process that delivers: hears of work that other processes make. */
@Injectable()
class WorkListening extends WorkLoops {
  constructor({ connection, database, clock, random }: Storage, { wake, logger }: Platform) {
    super([new WorkListener({ connection, database, wake, clock, random, logger })]);
  }
}

@Module({ providers: [WorkListening] })
class WorkListenerModule {}

/** In a process that does not deliver: notifies those that do of the work that it makes. */
@Module({})
class WorkNotifierModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly notifier: WorkNotifier;
  private stop: () => void = () => undefined;

  constructor(
    { database }: Storage,
    private readonly platform: Platform,
  ) {
    this.notifier = new WorkNotifier(database);
  }

  onApplicationBootstrap(): void {
    this.stop = this.platform.wake.onNotify(() => {
      this.notifier.notify();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await this.notifier.settled();
  }
}

/**
 * A process that delivers listens. One that makes work without delivering it notifies. One that does both wakes itself, and
 * the others look every second for what it leaves to them.
 */
@Module({})
export class WorkNotificationsModule {
  static forRoles(roles: Environment['roles']): DynamicModule {
    const imports = [roles.includes('delivery') ? WorkListenerModule : WorkNotifierModule];
    return { module: WorkNotificationsModule, imports };
  }
}
