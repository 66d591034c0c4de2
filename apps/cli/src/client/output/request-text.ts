import type { RequestPreviewView } from '#contracts';

import { section } from './fields.js';
import { payloadText } from './payload.js';
import { safeLine } from './safe-text.js';

/** The very request, as safe text; nothing where nothing is left to send. */
export function requestText(request: RequestPreviewView | null): string {
  if (request === null) return '';
  const { method, path, body, problems } = request;
  const lines = [
    safeLine(`${method} ${path}`),
    payloadText(body),
    ...problems.map((problem) => safeLine(`! ${problem}`)),
  ];
  return section('Would be sent now', lines.filter((line) => line !== '').join('\n'));
}
