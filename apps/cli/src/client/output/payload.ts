import { safeJson, safeLine } from './safe-text.js';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What was sent or came in, as safe text: JSON with its structure, anything else line by line. */
export function payloadText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const content = typeof value === 'string' ? (parsed(value) ?? value) : value;
  if (typeof content !== 'string') return safeJson(content, 2);
  return content.split('\n').map(safeLine).join('\n');
}
