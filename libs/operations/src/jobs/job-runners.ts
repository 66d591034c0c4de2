import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

import type { BackgroundLoop, Clock, Logger, Random } from '#platform';

import { OperationsObserver } from '../access/operations-observer.js';
import { JobItemRepository } from './job-items.js';
import { JobRepository } from './job-repository.js';
import { jobRunner, JobWork } from './job-runner.js';

interface LoopTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Carries out jobs: a loop for each kind that is provided in this process. */
@Injectable()
export class JobRunners {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly jobs: JobRepository,
    private readonly items: JobItemRepository,
    private readonly observer: OperationsObserver,
  ) {}

  /** Not yet started. To be called when every provider is made (`onModuleInit` or later): a kind may be in any module. */
  open(tools: LoopTools): { readonly loop: BackgroundLoop; readonly work: JobWork }[] {
    const { clock, random, logger } = tools;
    const { jobs, items } = this;
    const onJobItems: OperationsObserver['jobItems'] = (state, count) => {
      this.observer.jobItems(state, count);
    };
    const provided = this.discovery.getProviders().map(({ instance }): unknown => instance);
    const works = provided.filter((instance) => instance instanceof JobWork);
    return works.map((work) => ({
      loop: jobRunner({ jobs, items, clock, random, logger, onJobItems, work }),
      work,
    }));
  }
}
