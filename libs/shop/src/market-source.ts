/** What goes wrong in a map, or was not in it yet. */
export type MapOf = 'whole' | 'without-exchanges' | 'halves' | 'a-cent-less' | 'lets-pass' | 'one-identity';

/** How receipts of a market's till (`market.ts`) become events, as whoever runs the shop writes it. */
const map = `(
  $uuid := $required(uuid, "uuid");
  $at := $time($required(printed, "printed"));
  $euros := function($sum){ $money($required($sum, "sum"), "EUR") };
  $first := function($of){ $exists($of.first) ? { "storeId": $of.first.shop, "purchaseId": $of.first.receipt } };
  $event := function($id, $name, $data){{
    "id": $id,
    "source": desk,
    "type": "loyalty." & $name & ".v1",
    "time": $at,
    "data": $merge([{ "program": club, "memberId": card }, $data])
  }};
  $sale := function($id, $of){ $event($id, "purchase.completed", {
    "purchaseId": $of.receipt,
    "channel": "pos",
    "storeId": $of.shop,
    "total": $euros($of.sum),
    "lines": $of.items.{ "sku": sku, "quantity": $int(n) },
    "attributes": { "campaign": $of.campaign }
  })};
  $back := function($id, $of){ $event($id, "purchase.refunded", {
    "refundId": $of.number,
    "returnId": $of.ref,
    "purchaseId": $of.receipt,
    "storeId": $of.shop,
    "original": $first($of),
    "total": $euros($of.sum),
    "reason": "return"
  })};
  kind = "training" ? []
  : kind = "sale" ? $sale($uuid, sold)
  : kind = "return" ? $back($uuid, returned)
  : kind = "exchange" ? [$back($uuid & "/return", returned), $sale($uuid & "/sale", sold)]
  : kind = "void" ? $event($uuid, "purchase.voided", {
      "purchaseId": undone.receipt,
      "storeId": undone.shop,
      "original": $exists(undone.undoes)
        ? { "refundId": undone.undoes.number, "storeId": undone.undoes.shop }
        : $first(undone),
      "total": $euros(undone.sum),
      "reason": "cashier void"
    })
  : kind = "correction" ? $event($uuid, "purchase.corrected", {
      "purchaseId": corrected.receipt,
      "storeId": corrected.shop,
      "correctionId": corrected.number,
      "reason": "deposit was forgotten",
      "previousTotal": $euros(corrected.before),
      "total": $euros(corrected.sum)
    })
  : kind = "gift" ? $event($uuid, "reward.granted", { "grantId": given.grant, "reward": "free-coffee" })
  : $error("the receipt is of a kind that is not known here")
)`;

const exchanges = '[$back($uuid & "/return", returned), $sale($uuid & "/sale", sold)]';

/** What stands in place of what. */
const others: Readonly<Record<MapOf, readonly [string, string]>> = {
  whole: ['', ''],
  /** As it was before tills exchanged anything: such receipts are refused. */
  'without-exchanges': ['kind = "exchange" ?', 'kind = "exchange of old" ?'],
  /** Of an exchange only what was sold. */
  halves: [exchanges, '[$sale($uuid & "/sale", sold)]'],
  /** It computes, and loses a cent. */
  'a-cent-less': ['$money($required($sum, "sum"), "EUR")', '$money($subtract($required($sum, "sum"), "0.01"), "EUR")'],
  /** What it does not know says nothing. */
  'lets-pass': ['$error("the receipt is of a kind that is not known here")', '[]'],
  /** The two of an exchange have one identity. */
  'one-identity': [exchanges, '[$back($uuid, returned), $sale($uuid, sold)]'],
};

const types = ['completed', 'refunded', 'voided', 'corrected'].map((name) => `loyalty.purchase.${name}.v1`);

/** The section `sources` of a programs file that reads what markets tell. */
export function marketSource(
  topic: string,
  programs: readonly string[],
  { by = 'whole', mayAll = false }: { readonly by?: MapOf; readonly mayAll?: boolean } = {},
): object {
  const [from, to] = others[by];
  const says = mayAll ? [...types, 'loyalty.reward.granted.v1'] : types;
  return { markets: { topics: [topic], format: 'json', map: map.replace(from, to), types: says, programs } };
}
