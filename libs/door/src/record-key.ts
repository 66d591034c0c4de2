import { visibleRule } from '#contracts';
import { compileKey, type ExactDocument } from '#events';

/** Longer is no member and no receipt. */
const keyCharsMax = 256;

/** A text that can be a key: what an event's `memberId` may be. */
function asKey(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const key = value.trim();
  return key !== '' && key.length <= keyCharsMax && visibleRule(key) === '' ? key : null;
}

/** The key of an event's record: its member, or else the receipt that it names; null: it names neither. */
export function eventKey(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null;
  const { memberId, purchaseId } = data as { readonly memberId?: unknown; readonly purchaseId?: unknown };
  return asKey(memberId) ?? asKey(purchaseId);
}

/** What the key of a record is made of. */
interface KeyInput {
  readonly document: ExactDocument;
  /** `$record` of the expression. */
  readonly record: { readonly topic: string; readonly headers: Readonly<Record<string, string>> };
}

/** Null: the expression makes no key of it, or refuses it. */
type RecordKey = (input: KeyInput) => string | null;

/** As many as there are sources, and some of a file that was in force before. */
const compiledMax = 200;
const compiled = new Map<string, RecordKey>();

/** Compiled once. @throws where the text is no expression that a source may have */
export function recordKeyOf(text: string): RecordKey {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compile(text);
  if (compiled.size >= compiledMax) compiled.clear();
  compiled.set(text, made);
  return made;
}

function compile(text: string): RecordKey {
  const expression = compileKey(text);
  return ({ document, record }) => {
    // It is not in the topic yet: it has no key, and no broker has given it a time.
    const result = expression.read({ document, record: { ...record, key: null, timestamp: '' } });
    return result.kind === 'key' ? asKey(result.key) : null;
  };
}
