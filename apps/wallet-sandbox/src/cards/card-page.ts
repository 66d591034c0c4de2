import { createHash } from 'node:crypto';
import { encodeQR } from 'qr';
import type { Answer } from '../http/answer.js';
import type { WalletKind } from '../passes/pass.js';

/** What is printed on a card, and so all that its page may tell: no address, no meta data, no identifier but its own. */
export interface CardFace {
  readonly brandId: string;
  readonly programId: string;
  readonly serialNumber: string;
  readonly templateId: number;
  readonly templateTierId: number | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly message: string | null;
  readonly statusCode: string;
  /** Fields of PassData that a card has room for. */
  readonly fields: CardFields;
}

interface CardFields {
  readonly points?: number;
  readonly status?: string;
  readonly seat?: string;
  readonly row?: string;
  readonly section?: string;
  readonly gate?: string;
  readonly expiryDate?: string;
}

/** A card as it is drawn. */
export interface Card extends CardFace {
  readonly wallet: WalletKind;
  readonly brandName: string;
  readonly templateName: string;
}

const walletNames: Readonly<Record<WalletKind, string>> = {
  generic: 'Any wallet',
  apple: 'Apple Wallet',
  google: 'Google Wallet',
};

/** The page of a card: what is printed on it, and its serial number as a QR code. */
export function cardPage(card: Card): Answer {
  const qrCode = encodeQR(card.serialNumber, 'svg', { ecc: 'medium' });
  const content = `<header>
<h1>${escapeHtml(card.brandName)}</h1>
<span class="note">${walletNames[card.wallet]}</span>
</header>
<dl>
${rowsOf(card).flatMap(toRow).join('\n')}
</dl>
<figure role="img" aria-label="QR code of the serial number">
${qrCode}
<figcaption>${escapeHtml(card.serialNumber)}</figcaption>
</figure>`;
  return pageAnswer({ status: 200, title: `${card.brandName}: ${card.templateName}`, content });
}

type Row = readonly [label: string, value: string | number | null | undefined];

function rowsOf(card: Card): Row[] {
  const { fields } = card;
  return [
    ['Card', card.templateName],
    ['Tier', card.templateTierId],
    ['Name', [card.firstName, card.lastName].filter((name) => name !== null).join(' ')],
    ['Points', fields.points],
    ['Message', card.message],
    ['Status', card.statusCode],
    ['Standing', fields.status],
    ['Section', fields.section],
    ['Row', fields.row],
    ['Seat', fields.seat],
    ['Gate', fields.gate],
    ['Expires', fields.expiryDate],
  ];
}

function toRow([label, value]: Row): string | [] {
  const text = String(value ?? '');
  return text === '' ? [] : `<dt>${label}</dt><dd>${escapeHtml(text)}</dd>`;
}

/** What is shown for a serial number that no card has; it does not repeat it. */
export function unknownCardPage(): Answer {
  const content = '<header><h1>No such card</h1></header>\n<p class="note">No card has this serial number.</p>';
  return pageAnswer({ status: 404, title: 'No such card', content });
}

const style = `body{font:16px/1.4 system-ui,sans-serif;background:#e8eaee;color:#1c2430;display:grid;place-items:center;margin:0;padding:2rem}
main{background:#fff;border-radius:14px;padding:1.5rem;width:min(22rem,100%);box-sizing:border-box;box-shadow:0 4px 18px #0003}
header{display:flex;justify-content:space-between;gap:1rem;border-bottom:1px solid #d5dae2;padding-bottom:.75rem}
h1{font-size:1.15rem;margin:0}dl{display:grid;grid-template-columns:auto 1fr;gap:.3rem 1rem}
dt{color:#5d6b80}dd{margin:0;text-align:right;overflow-wrap:anywhere}figure{margin:1rem 0 0;text-align:center}
svg{width:11rem}figcaption{font:14px ui-monospace,monospace}.note{color:#5d6b80}`;

/** No script, nothing from elsewhere, in nobody's frame; the one style sheet is known by its digest. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

interface Page {
  readonly status: number;
  readonly title: string;
  /** HTML, its values escaped. */
  readonly content: string;
}

/** A page of plain HTML, safe whatever its values are. */
function pageAnswer({ status, title, content }: Page): Answer {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return { status, headers, body, wire: 'whole' };
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in an HTML element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}
