import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';

/** A part of the path as it was sent, counted from its end (-1 is the last): what Nest gives has been decoded already. */
export const RawPath = createParamDecorator((fromEnd: number, context: ExecutionContext): string => {
  const { url } = context.switchToHttp().getRequest<{ readonly url: string }>();
  return url.split('?', 1)[0]?.split('/').at(fromEnd) ?? '';
});
