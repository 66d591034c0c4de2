import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';

import { exportLinesText } from '#contracts';

import type { Actor } from '../requests/actor.js';
import { actorOf } from '../requests/actor.js';

/** The part of the HTTP answer that is needed here, whatever the server. */
interface Reply {
  header(name: string, value: string): unknown;
}

/** Who reads an export's lines, and how. */
export interface ExportReader {
  readonly actor: Actor;
  /** Lines as they stand in a file, instead of a page of objects. */
  readonly wantsText: boolean;
  /** Says in the headers that lines come as text, and where they go on. */
  answersText(nextCursor: string | null): void;
}

export const ByExportReader = createParamDecorator((_data: unknown, context: ExecutionContext): ExportReader => {
  const http = context.switchToHttp();
  const { accept = '' } = http.getRequest<{ readonly headers: { readonly accept?: string } }>().headers;
  const reply = http.getResponse<Reply>();
  const { contentType, cursorHeader } = exportLinesText;
  return {
    actor: actorOf(context),
    wantsText: accept.includes(contentType),
    answersText: (nextCursor) => {
      reply.header('content-type', `${contentType}; charset=utf-8`);
      if (nextCursor !== null) reply.header(cursorHeader, nextCursor);
    },
  };
});
