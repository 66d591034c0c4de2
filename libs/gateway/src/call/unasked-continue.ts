import { channel } from 'node:diagnostics_channel';

interface Parser {
  onHeadersComplete(status: number, isUpgrade: boolean, shouldKeepAlive: boolean): number;
}

let isListening = false;

/**
 * Lets answers begin with a 100 that was not asked for, as RFC 9110 section 15.2 wants it. undici 8.12 skips every other
 * 1xx, and takes this one for a broken answer (`onHeadersComplete` of `client-h1.js`), without a setting: so its parser is
 * told 102. Each connection's socket holds its parser, and is shown when it is connected. Holds for all of the process.
 */
export function skipUnaskedContinue(): void {
  if (isListening) return;
  isListening = true;
  channel('undici:client:connected').subscribe((message) => {
    const parser = parserOf((message as { readonly socket: object }).socket);
    if (parser === undefined) return;
    const read = parser.onHeadersComplete.bind(parser);
    parser.onHeadersComplete = (status, ...rest) => read(status === 100 ? 102 : status, ...rest);
  });
}

function parserOf(socket: object): Parser | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  return key === undefined ? undefined : (socket as Record<symbol, Parser | undefined>)[key];
}
