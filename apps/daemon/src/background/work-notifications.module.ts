import type { BeforeApplicationShutdown, DynamicModule, OnApplicationBootstrap } from '@nestjs/common';
import { Inject, Module } from '@nestjs/common';

import type { Environment } from '#contracts';
import { WorkListener, WorkNotifier } from '#platform';

import { WorkLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { STORAGE } from '../storage/storage.module.js';

const LISTENER = Symbol('WorkListener');

/** In a process that delivers: hears of work that other processes make. */
@Module({
  providers: [
    {
      provide: LISTENER,
      inject: [STORAGE, Platform],
      useFactory: ({ connection, database, clock, random }: Storage, { wake, logger }: Platform): WorkLoops =>
        new WorkLoops([new WorkListener({ connection, database, wake, clock, random, logger })]),
    },
  ],
})
class WorkListenerModule {}

/** In a process that does not deliver: tells those that do of the work that it makes. */
@Module({})
class WorkNotifierModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly notifier: WorkNotifier;
  private stop: () => void = () => undefined;

  constructor(
    @Inject(STORAGE) { database }: Storage,
    @Inject(Platform) private readonly platform: Platform,
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
 * Who delivers listens. Who makes work without delivering it notifies; a process that does both has told itself, and the
 * others look every second for what it leaves to them.
 */
@Module({})
export class WorkNotificationsModule {
  static forRoles(roles: Environment['roles']): DynamicModule {
    const imports = [roles.includes('delivery') ? WorkListenerModule : WorkNotifierModule];
    return { module: WorkNotificationsModule, imports };
  }
}
