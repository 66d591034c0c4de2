import type { DynamicModule, ModuleMetadata, OnModuleInit } from '@nestjs/common';
import { Injectable, Module } from '@nestjs/common';

import { JobRunners, NoticeWork } from '#operations';

import { interruptible, WorkLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';

/** Carries out jobs. Those of kinds that are not provided here are left to other processes. */
@Injectable()
class OperatorsWork extends WorkLoops implements OnModuleInit {
  constructor(
    private readonly runners: JobRunners,
    private readonly storage: Storage,
    private readonly platform: Platform,
  ) {
    super();
  }

  /** Not before: only now every provider of every module is made. */
  onModuleInit(): void {
    const { clock, random } = this.storage;
    const { background, actions, logger } = this.platform;
    for (const { loop, work } of this.runners.open({ clock, random, logger })) this.add(interruptible(loop, work));
    background.watch('operators', this.loops);
    actions.onNotify(() => {
      for (const loop of this.loops) loop.wake();
    });
  }
}

/** Tells operators who do not look. */
@Injectable()
class Notices extends WorkLoops {
  constructor(work: NoticeWork, { random }: Storage, { background, logger }: Platform) {
    super([interruptible(work.open({ random, logger }), work)]);
    background.watch('notices', this.loops);
  }
}

/** What operators asked for, jobs; and what they are told. */
@Module({ providers: [OperatorsWork, Notices] })
export class OperatorsWorkModule {
  /** @param imports the operations API */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: OperatorsWorkModule, imports };
  }
}
