import { Get, Inject } from '@nestjs/common';

import type { PublishedContracts } from '#contracts';
import { publishedContracts } from '#contracts';

import { Needs } from '../access/needs.js';
import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';

/** The contracts of our topics, for anybody. */
@ApiController('contracts')
@Needs(null)
export class ContractsController {
  private published: PublishedContracts | null = null;

  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  /** Made when somebody asks for the first time: the start need not wait for it. */
  @Get()
  all(): PublishedContracts {
    this.published ??= publishedContracts(this.settings.topics ?? undefined);
    return this.published;
  }
}
