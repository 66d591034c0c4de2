import { section } from './fields.js';
import { payloadText } from './payload.js';
import { safeLine } from './safe-text.js';

/** A request that would be sent now, as the API foretells it; personal values are masked. */
export interface RequestPreview {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Why none can be made. */
  readonly problems: readonly string[];
}

/** The very request, as safe text; nothing where nothing is left to send. */
export function requestText(request: RequestPreview | null | undefined): string {
  if (request === null || request === undefined) return '';
  const { method, path, body, problems } = request;
  const lines = [
    safeLine(`${method} ${path}`),
    payloadText(body),
    ...problems.map((problem) => safeLine(`! ${problem}`)),
  ];
  return section('Would be sent now', lines.filter((line) => line !== '').join('\n'));
}
