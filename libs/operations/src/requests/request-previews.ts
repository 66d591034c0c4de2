import { Injectable } from '@nestjs/common';

import type { RequestPreview } from '#gateway';
import { DialectRegistry, previewRequest } from '#gateway';
import type { PartnerCommand } from '#intents/core';
import { Clock } from '#platform';

/** The requests that commands would be, were they sent now. */
@Injectable()
export class RequestPreviews {
  constructor(
    private readonly dialects: DialectRegistry,
    private readonly clock: Clock,
  ) {}

  of(command: PartnerCommand): RequestPreview {
    return previewRequest(command, this.dialects, this.clock.now());
  }
}
