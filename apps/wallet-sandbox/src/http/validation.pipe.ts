import { StandardSchemaValidationPipe } from '@nestjs/common';
import { InvalidRequest } from './invalid-request.js';

/** Refuses a body or query that does not fit its schema. */
export function createValidationPipe(): StandardSchemaValidationPipe {
  return new StrictValidationPipe({ exceptionFactory: (issues) => new InvalidRequest(issues) });
}

/** Nest would take properties like `constructor` away in silence; here they are unknown ones, or kept as data. */
class StrictValidationPipe extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(): void {
    // The JSON parser refuses what could do harm.
  }
}
