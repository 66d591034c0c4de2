import { Controller, Get } from '@nestjs/common';

import { openApi } from '#contracts';

/** The operations API described, for anybody. */
@Controller('api/openapi.json')
export class OpenApiController {
  private document: object | null = null;

  /** Made when somebody asks for the first time: the start need not wait for it. */
  @Get()
  describe(): object {
    this.document ??= openApi();
    return this.document;
  }
}
