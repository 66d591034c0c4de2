import { isMasked } from '../components/mask.js';
import { quoted } from './commands.js';

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

export interface PartnerCurl {
  readonly text: string;
  /** Something personal is left out of it: it cannot be sent as it is. */
  readonly isMasked: boolean;
}

/** The partner's own request for a shell, as their support wants to try it; null where it never became one. The token is left out. */
export function partnerCurl(request: unknown): PartnerCurl | null {
  const { method, path, body } = membersOf(request);
  if (typeof method !== 'string' || typeof path !== 'string' || method === '' || path === '') return null;
  const content = body === null || body === undefined || body === '' ? null : body;
  const json = typeof content === 'string' ? content : JSON.stringify(content);
  const parts = [
    `curl -X ${method} -H "authorization: Bearer $WALLET_TOKEN"`,
    ...(content === null ? [] : [`-H 'content-type: application/json' --data-raw ${quoted(json)}`]),
    `"$WALLET_BASE_URL"${quoted(path)}`,
  ];
  const text = parts.join(' ');
  return { text, isMasked: isMasked(text) };
}
