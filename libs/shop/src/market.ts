import type { Chance } from './chance.js';
import type { CloudEvent, Content, Sent, SetAside } from './event.js';

/** What a till of a market writes down, in a form of its own. */
type Receipt = Readonly<Record<string, unknown>>;

type Data = Readonly<Record<string, unknown>>;

interface Mistake {
  /** Null: it asks for nothing, and nobody need look. */
  readonly setAside: SetAside | null;
  readonly spoil: (receipt: Receipt) => string;
}

const saying = (receipt: Receipt, said: Receipt): string => JSON.stringify({ ...receipt, ...said });

/** What tills of markets get wrong, and what is no receipt of anybody's. */
const mistakes: readonly Mistake[] = [
  { setAside: 'unreadable', spoil: (receipt) => JSON.stringify(receipt).slice(0, -9) },
  { setAside: 'invalid', spoil: (receipt) => saying(receipt, { kind: 'basket' }) },
  { setAside: 'invalid', spoil: (receipt) => saying(receipt, { uuid: undefined }) },
  { setAside: 'invalid', spoil: (receipt) => saying(receipt, { sold: { ...(receipt['sold'] as Receipt), sum: -1 } }) },
  // Its other half is good: neither is taken.
  {
    setAside: 'invalid',
    spoil: (receipt) => saying(receipt, { kind: 'exchange', returned: { number: 'R0', receipt: 'P0', sum: '1,20' } }),
  },
  { setAside: 'not-allowed', spoil: (receipt) => saying(receipt, { kind: 'gift', given: { grant: receipt['uuid'] } }) },
  { setAside: null, spoil: (receipt) => saying(receipt, { kind: 'training' }) },
];

/** Markets whose tills know nothing of our events: they write receipts, of which a map makes some. */
export class Market {
  private readonly here = new Map<string, boolean>();

  /** @param share of the members who shop here */
  constructor(
    private readonly chance: Chance,
    private readonly share: number,
  ) {}

  /** Always the same of one card. */
  isOf(memberId: string): boolean {
    const known = this.here.get(memberId);
    if (known !== undefined) return known;
    const isHere = this.chance.fork(memberId).happens(this.share);
    this.here.set(memberId, isHere);
    return isHere;
  }

  /** As a till of the market writes it, where its member shops here. */
  told(sent: Sent): Sent {
    if (sent.content.kind !== 'event' || sent.topic !== 'purchases') return sent;
    const { event } = sent.content;
    const { memberId } = event.data;
    const isHere = typeof memberId === 'string' && sent.name !== null && this.isOf(memberId);
    return isHere ? { ...sent, content: receiptOf(event) } : sent;
  }

  /** Something is brought back, and something else taken along: one receipt. */
  exchange(back: Sent, sale: Sent): Sent {
    const [returned, sold] = [eventIn(back), eventIn(sale)];
    const { id, source, time } = returned;
    const meant = [
      { ...returned, id: `${id}/return` },
      { ...sold, id: `${id}/sale`, source, time },
    ];
    const receipt = { ...frameOf(returned), kind: 'exchange', ...partOf(returned), ...partOf(sold) };
    return { ...sale, content: { kind: 'receipt', value: bytesOf(receipt), meant } };
  }

  /** @param sound of nobody, and told nowhere else */
  spoil(sound: Sent): Sent {
    const { setAside, spoil } = this.chance.pick(mistakes);
    const event = eventIn(sound);
    const value = Buffer.from(spoil({ ...frameOf(event), kind: 'sale', ...partOf(event) }));
    const fate = setAside === null ? 'nothing' : { setAside };
    return { ...sound, content: { kind: 'receipt', value, meant: [] }, name: null, part: 'useless', fate };
  }
}

function eventIn({ content }: Sent): CloudEvent {
  if (content.kind !== 'event') throw new Error('only an event is told otherwise');
  return content.event;
}

const bytesOf = (receipt: Receipt): Uint8Array => Buffer.from(JSON.stringify(receipt));

const frameOf = ({ id, source, time, data: { program, memberId } }: CloudEvent): Receipt => ({
  uuid: id,
  desk: source,
  printed: Date.parse(time),
  club: program,
  card: memberId,
});

/** Euros with their cents; what an old version of a till writes stays the text that it is. */
function sumOf(total: unknown): unknown {
  const { minor } = total as { readonly minor: unknown };
  return typeof minor === 'number' ? minor / 100 : minor;
}

const firstOf = (original: unknown): Receipt | undefined => {
  const { storeId, purchaseId } = (original ?? {}) as Data;
  return purchaseId === undefined ? undefined : { shop: storeId, receipt: purchaseId };
};

const parts: Readonly<Record<string, (data: Data) => { readonly kind: string; readonly part: Receipt }>> = {
  'purchase.completed': ({ purchaseId, storeId, total, lines, attributes }) => ({
    kind: 'sale',
    part: {
      sold: {
        ...{ receipt: purchaseId, shop: storeId, sum: sumOf(total) },
        items: (lines as readonly Data[]).map(({ sku, quantity }) => ({ sku, n: quantity })),
        campaign: (attributes as Data)['campaign'],
      },
    },
  }),
  'purchase.refunded': ({ refundId, returnId, purchaseId, storeId, original, total }) => ({
    kind: 'return',
    part: {
      returned: {
        ...{ number: refundId, ref: returnId, receipt: purchaseId, shop: storeId, sum: sumOf(total) },
        first: firstOf(original),
      },
    },
  }),
  'purchase.voided': ({ purchaseId, storeId, original, total }) => {
    const { refundId, storeId: shop } = (original ?? {}) as Data;
    const undoes = refundId === undefined ? {} : { undoes: { number: refundId, shop } };
    const part = { receipt: purchaseId, shop: storeId, sum: sumOf(total), first: firstOf(original), ...undoes };
    return { kind: 'void', part: { undone: part } };
  },
  'purchase.corrected': ({ purchaseId, storeId, correctionId, previousTotal, total }) => ({
    kind: 'correction',
    part: {
      corrected: {
        ...{ number: correctionId, receipt: purchaseId, shop: storeId },
        ...{ before: sumOf(previousTotal), sum: sumOf(total) },
      },
    },
  }),
};

function told({ type, data }: CloudEvent): { readonly kind: string; readonly part: Receipt } {
  const [, name = ''] = /loyalty\.(.+)\.v1$/.exec(type) ?? [];
  const write = parts[name];
  if (write === undefined) throw new Error(`a market's till never tells of ${type}`);
  return write(data);
}

const partOf = (event: CloudEvent): Receipt => told(event).part;

function receiptOf(event: CloudEvent): Content {
  const { kind, part } = told(event);
  return { kind: 'receipt', value: bytesOf({ ...frameOf(event), kind, ...part }), meant: [event] };
}
