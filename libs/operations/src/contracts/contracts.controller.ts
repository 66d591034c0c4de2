import { Controller, Get, Req, Res } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

import type { TopicNames } from '#contracts';
import { publishedContracts } from '#events';

import { ApiController } from '../access/access.guard.js';
import { ApiOperation, Public } from '../access/route-rules.js';
import type { ConditionalRequest, StaticDocument, StaticReply } from '../requests/static-document.js';
import { sendStatic, staticDocument } from '../requests/static-document.js';
import type { ControllerClass } from './described-routes.js';
import { routesOf } from './described-routes.js';
import { openApi } from './open-api.js';

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

const documentOf = (value: object): StaticDocument => staticDocument(Buffer.from(JSON.stringify(value)));

/** The topics that this process publishes to and reads. */
export abstract class PublishedTopics {
  /** Null in a process that knows no Kafka: the default names are shown. */
  abstract readonly names: TopicNames | null;
}

/** The contracts of our topics, for anybody. */
@ApiController('contracts')
export class ContractsController {
  private published: StaticDocument | null = null;

  constructor(private readonly topics: PublishedTopics) {}

  /** Made at the first request: the start need not wait for it. */
  @Get()
  @Public()
  @ApiOperation({ summary: 'JSON Schemas and AsyncAPI of the topics' })
  all(@Req() request: ConditionalRequest, @Res() reply: StaticReply): void {
    this.published ??= documentOf(publishedContracts(this.topics.names ?? undefined));
    sendStatic(this.published, request, reply, jsonType);
  }
}

/** `url` is what is left of `originalUrl` without the base path. */
interface AskedFor extends ConditionalRequest {
  readonly url: string;
  readonly originalUrl: string;
}

/** The operations API described, for anybody. */
@Controller('api/openapi.json')
export class OpenApiController {
  /** By the base path below which it was asked for: there is one, or none. */
  private readonly documents = new Map<string, StaticDocument>();

  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * Made at the first request: the start need not wait for it. Asked for below a base path, it names the
   * API below that.
   */
  @Get()
  @Public()
  @ApiOperation({ summary: 'This document' })
  describe(@Req() request: AskedFor, @Res() reply: StaticReply): void {
    const { url, originalUrl } = request;
    const basePath = originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : '';
    const document =
      this.documents.get(basePath) ?? documentOf({ ...this.described(), servers: [{ url: `${basePath}/api/v1` }] });
    this.documents.set(basePath, document);
    sendStatic(document, request, reply, jsonType);
  }
  /** All that this process serves, whichever module it is of. */
  private described(): object {
    const controllers = this.discovery.getControllers().flatMap(({ metatype }) => metatype ?? []);
    return openApi(routesOf(controllers as ControllerClass[]));
  }
}
