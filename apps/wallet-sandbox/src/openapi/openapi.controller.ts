import { Controller, Get } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Spelling } from '../spelling/spelling.js';
import { buildDocument } from './build-document.js';
import { listEndpoints } from './endpoint.js';
import type { JsonSchema } from './json-schema.js';
import { SchemaSpelling } from './schema-spelling.js';

/** The description of what is served; no token is needed. */
@Controller('openapi.json')
export class OpenapiController {
  private document: JsonSchema | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly spelling: Spelling,
  ) {}

  @Get()
  get(): JsonSchema {
    this.document ??= buildDocument(listEndpoints(this.discovery), new SchemaSpelling(this.spelling.choice));
    return this.document;
  }
}
