import type { WalletPass } from '#contracts';

import type { JsonValue, PassContent } from '../routing/partner-command.js';

/** How a pass stands to the content that an update wants. */
export type PassComparison =
  /** Every path to be changed can be read and differs from what is wanted. */
  | 'differs'
  /** Every path can be read and is as wanted. */
  | 'as-wanted'
  /** Some paths cannot be read on a pass, or only some of them are as wanted: nothing can be concluded. */
  | 'inconclusive';

/** Compares what an update changes with what the partner shows (partner-api.md section 2). Pure. */
export function comparePass(content: PassContent, pass: WalletPass): PassComparison {
  const wanted = pathsOf(content, pass);
  if (wanted === null || wanted.length === 0) return 'inconclusive';
  const fits = wanted.map(({ want, has }) => isSame(want, has));
  if (fits.every((fit) => fit)) return 'as-wanted';
  return fits.some((fit) => fit) ? 'inconclusive' : 'differs';
}

interface PathPair {
  readonly want: JsonValue;
  readonly has: unknown;
}

/** Person, SMS subscription and IP address are not shown on a pass. */
function changesHidden({ person, smsSubscription, ipAddress }: PassContent): boolean {
  return smsSubscription !== undefined || ipAddress !== undefined || Object.keys(person ?? {}).length > 0;
}

/** Null when a path is changed that a pass does not show. */
function pathsOf(content: PassContent, pass: WalletPass): PathPair[] | null {
  if (changesHidden(content)) return null;
  const { passdata, ...own } = content;
  const { metaData, ...fields } = passdata ?? {};
  const shown = (pass.passdata ?? {}) as Readonly<Record<string, unknown>>;
  const shownMetaData = (shown['metaData'] ?? {}) as Readonly<Record<string, unknown>>;
  return [
    ...pairs(fields, shown),
    ...pairs(metaData ?? {}, shownMetaData),
    ...pairs(
      { tierId: own.tierId, message: own.message, groupId: own.groupId, templateId: own.templateId },
      {
        tierId: pass.templateTierId,
        message: pass.currentMessage,
        groupId: pass.groupId,
        templateId: pass.templateId,
      },
    ),
  ];
}

function pairs(
  wanted: Readonly<Record<string, JsonValue | undefined>>,
  shown: Readonly<Record<string, unknown>>,
): PathPair[] {
  return Object.entries(wanted).flatMap(([key, want]) => (want === undefined ? [] : [{ want, has: shown[key] }]));
}

/** Cleared means absent or null. Objects are compared as JSON: the partner may order keys as it likes. */
function isSame(want: JsonValue, has: unknown): boolean {
  if (want === null) return has === null || has === undefined;
  if (typeof want !== 'object') return want === has;
  if (typeof has !== 'object' || has === null) return false;
  const left = Object.entries(want);
  const right = has as Readonly<Record<string, unknown>>;
  return left.length === Object.keys(right).length && left.every(([key, value]) => isSame(value, right[key]));
}
