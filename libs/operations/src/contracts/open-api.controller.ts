import { Controller, Get, Req } from '@nestjs/common';

import { openApi } from '#contracts';

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
