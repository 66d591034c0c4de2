import { Get, Inject } from '@nestjs/common';

import type { JsonSchema } from '#contracts';
import { asyncApi, outcomeEventSchemas, sourceEventSchemas } from '#contracts';

import { Needs } from '../access/needs.js';
import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';

interface PublishedContracts {
  readonly asyncapi: JsonSchema;
  /** JSON Schemas by event type. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** What producers and readers of our topics need to know, for anybody. */
@ApiController('contracts')
@Needs(null)
export class ContractsController {
  private readonly published: PublishedContracts;

  constructor(@Inject(API_SETTINGS) { topics }: ApiSettings) {
    const schemas = { ...sourceEventSchemas(), ...outcomeEventSchemas() };
    this.published = { asyncapi: asyncApi(topics ?? undefined), schemas };
  }

  @Get()
  all(): PublishedContracts {
    return this.published;
  }
}
