import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';

/** A part of a request's path as it was sent, counted from its end (-1 is the last): what Nest gives has been decoded. */
export function rawPart(context: ExecutionContext, fromEnd: number): string {
  const { url } = context.switchToHttp().getRequest<{ readonly url: string }>();
  return url.split('?', 1)[0]?.split('/').at(fromEnd) ?? '';
}

export const RawPath = createParamDecorator((fromEnd: number, context: ExecutionContext) => rawPart(context, fromEnd));
