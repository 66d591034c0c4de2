import { exceedsDepth, jsonDepthMax } from '#contracts';

import { refuseRequest } from '../requests/read-request.js';

/** Stands where something personal was. */
export const maskedText = '•••';

/**
 * Names whose values say nothing of a person (contracts.md section 7 names those that do; whatever is not listed here is
 * taken for personal, for a producer may add fields of any name).
 */
const harmless: ReadonlySet<string> = new Set([
  // envelope
  ...['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'sequence', 'data'],
  ...['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time', 'ce_datacontenttype', 'ce_sequence'],
  // source events
  ...['program', 'memberId', 'purchaseId', 'refundId', 'grantId', 'reward', 'channel', 'storeId', 'total', 'minor'],
  ...['currency', 'digits', 'lines', 'sku', 'quantity', 'amount', 'reason', 'pass', 'points', 'tier', 'scope'],
  // commands and partner calls
  ...['operation', 'brandId', 'programId', 'templateId', 'uniqueId', 'unique_id', 'workflowId', 'tierId', 'rewardId'],
  ...['transactionTypeId', 'transactionDate', 'uniqueIdKey', 'uniqueAttribute', 'enforced', 'smsSubscription'],
  ...['content', 'attributes', 'typeName', 'walletId', 'cardId', 'pointsDelta', 'quantityDelta'],
  // evidence
  ...['phase', 'request', 'response', 'method', 'path', 'status', 'body', 'truncated', 'headers', 'durationMs'],
  ...['content-type', 'content-length', 'date', 'retry-after', 'totalCount', 'code'],
]);

function maskText(text: string): string {
  if (isTooDeep(text)) return maskedText;
  const inner = parsed(text);
  return inner === undefined ? text : JSON.stringify(maskPersonal(inner));
}

function isNested(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}

/** Deeper than any event that we read: going through it could take more than the stack holds. */
function isTooDeep(text: string): boolean {
  return isNested(text) && exceedsDepth(text, jsonDepthMax);
}

/** JSON within a text, as bodies are kept. */
function parsed(text: string): object | undefined {
  if (!isNested(text) || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function maskMember(name: string, value: unknown): unknown {
  if (!harmless.has(name)) return value === null ? null : maskedText;
  if (typeof value === 'string' && name === 'body' && parsed(value) === undefined) {
    return value === '' ? '' : maskedText;
  }
  return maskPersonal(value);
}

/** Whether a text holds JSON whose parts can be told apart. */
export function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

/** The same shape, with everything personal masked. */
export function maskPersonal(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskPersonal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskMember(name, member)]));
}

/** Evidence of ours: what was sent and answered is masked, what we say of it ourselves (paths and rules) is not. */
export function maskEvidence(evidence: unknown): unknown {
  const masked = maskPersonal(evidence);
  const isOurs = typeof evidence === 'object' && evidence !== null && 'detail' in evidence;
  return isOurs && typeof masked === 'object' ? { ...masked, detail: evidence.detail } : masked;
}

/** Paths that a refusal names, at most. */
const pathsMax = 10;

type Place = readonly [path: string, value: unknown];

function membersOf([path, value]: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, member]) => [path === '' ? name : `${path}.${name}`, member]);
}

/**
 * Where a value that somebody sent holds what stands for a masked one: copied from what we showed, it would be taken for
 * the value itself. The first ten paths, in their order.
 */
export function maskedPaths(sent: unknown): string[] {
  const found: string[] = [];
  const left: Place[] = [['', sent]];
  for (let place = left.pop(); place !== undefined && found.length < pathsMax; place = left.pop()) {
    const [path, value] = place;
    if (typeof value === 'string' && value.includes(maskedText)) found.push(path);
    // One by one: a request may hold more members than a call takes arguments.
    for (const member of membersOf(place).reverse()) left.push(member);
  }
  return found;
}

/** @throws {ApiProblem} that names where what stands for masked values was sent as if it were one */
export function refuseMasked(sent: unknown): void {
  const paths = maskedPaths(sent);
  if (paths.length === 0) return;
  refuseRequest(
    `${paths.join(', ')}: ${maskedText} stands for a masked value and is none; say the value, or leave it out`,
  );
}
