import { Controller, Get, Inject, Req } from '@nestjs/common';

import type { PublishedContracts } from '#contracts';
import { openApi, publishedContracts } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';

/** The contracts of our topics, for anybody. */
@ApiController('contracts')
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

/** `url` is what is left of `originalUrl` without the base path. */
interface AskedFor {
  readonly url: string;
  readonly originalUrl: string;
}

/** The operations API described, for anybody. */
@Controller('api/openapi.json')
export class OpenApiController {
  private document: ReturnType<typeof openApi> | null = null;

  /**
   * Made when somebody asks for the first time: the start need not wait for it. Asked for below a base path, it names the
   * API below that.
   */
  @Get()
  describe(@Req() { url, originalUrl }: AskedFor): object {
    this.document ??= openApi();
    const basePath = originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : '';
    return { ...this.document, servers: [{ url: `${basePath}/api/v1` }] };
  }
}
