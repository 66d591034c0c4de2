import { memberId } from './purchase-event.js';
import { programName } from '../bench-parts.js';

/** The receipt of a till that knows nothing of our events: it tells what `purchaseEvent` does. */
export const tillReceipt = (member: number, rank: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      receipt: `${member}-${rank}`,
      kind: 'sale',
      store: 'berlin-07',
      till: member % 10,
      printed_at: '2026-11-21 10:15:04',
      card: memberId(member),
      currency: 'EUR',
      total: 59.99,
      items: [{ sku: 'SHOE-42', quantity: 1, net: 50.41, text: 'Running shoe, size 42', tax_rate: 19 }],
      campaign: 'autumn',
      cashier: 'till staff 12',
    }),
  );

/** What such receipts are, as people write it: a time without a zone, amounts in euros, an identity of several parts. */
const tillMap = `(
  kind = "training" ? [] : {
    "id": $stable("sale", $required(store, "store"), $required(receipt, "receipt")),
    "source": "/pos/" & store & "/till-" & till,
    "type": "loyalty.purchase.completed.v1",
    "time": $time($required(printed_at, "printed_at"), "Europe/Berlin"),
    "data": {
      "program": "${programName}",
      "memberId": card,
      "purchaseId": receipt,
      "channel": "pos",
      "storeId": store,
      "total": $money($required(total, "total"), currency),
      "lines": items.{ "sku": sku, "quantity": $int(quantity), "net": $money(net, $$.currency) },
      "attributes": { "campaign": campaign }
    }
  }
)`;

/** The section `sources` of a programs file whose receipts come by this topic. */
export const tillSources = (topic: string): object => ({
  tills: {
    topics: [topic],
    format: 'json',
    map: tillMap,
    types: ['loyalty.purchase.completed.v1'],
    programs: [programName],
  },
});
