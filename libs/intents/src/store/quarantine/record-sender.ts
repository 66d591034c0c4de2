/** Who sent a record, as far as it says; null: it does not. Nothing personal. */
export interface RecordSender {
  /** The event's `source`. */
  readonly source: string | null;
  readonly store: string | null;
  readonly program: string | null;
  /** What it tells of, without a sign; absent: nothing that can be read. */
  readonly stake?: { readonly amount: string; readonly currency: string };
}

/** Together they fit into an index, of whatever letters they are. */
const sourceCharsMax = 256;
const storeCharsMax = 128;
const programCharsMax = 256;

/** Of a record that says who sent it, whatever else; an unreadable one may say anything. */
function kept(text: string | null | undefined, charsMax: number): string {
  return text?.replaceAll('\u0000', '').toWellFormed().slice(0, charsMax).toWellFormed() ?? '';
}

/** As it is kept and found: what a record does not say is empty. */
export function keptSender(
  sender: RecordSender | undefined,
): Readonly<Record<Exclude<keyof RecordSender, 'stake'>, string>> {
  return {
    source: kept(sender?.source, sourceCharsMax),
    store: kept(sender?.store, storeCharsMax),
    program: kept(sender?.program, programCharsMax),
  };
}
