import { applyDecorators, Controller, UseGuards } from '@nestjs/common';

import { AccessGuard } from './access/access.guard.js';

/** Below this path lies everything but probes and metrics. */
export const apiPath = 'api/v1';

/** A controller of the operations API: nobody gets past the guard. */
export const ApiController = (path: string): ClassDecorator =>
  applyDecorators(Controller(`${apiPath}/${path}`), UseGuards(AccessGuard));
