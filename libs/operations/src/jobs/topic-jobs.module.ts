import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import { ReadAgainRepository } from '#intents';

import { RereadTopicRepository } from './kinds/reread-topic/reread-topic-repository.js';
import { RereadTopicWork } from './kinds/reread-topic/reread-topic-work.js';

/** The kinds of jobs that read topics: in a process that has Kafka. */
@Module({ providers: [ReadAgainRepository, RereadTopicRepository, RereadTopicWork] })
export class TopicJobsModule {
  /** @param imports what provides `TopicReader` and `OperationsObserver` */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: TopicJobsModule, imports };
  }
}
