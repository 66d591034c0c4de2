/** Stands where something personal was. */
export const maskedText = '•••';

/**
 * Names whose values say nothing of a person (contracts.md section 7 names those that do; whatever is not listed here is
 * taken for personal, for a producer may add fields of any name).
 */
const harmless: ReadonlySet<string> = new Set([
  // envelope
  ...['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'sequence', 'data'],
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
  const inner = parsed(text);
  return inner === undefined ? text : JSON.stringify(maskPersonal(inner));
}

/** JSON within a text, as bodies are kept. */
function parsed(text: string): object | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
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
