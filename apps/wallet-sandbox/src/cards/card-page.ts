import { encodeQR } from 'qr';
import type { Answer } from '../http/answer.js';
import type { Card } from './card.js';
import type { WalletKind } from './download-links.js';
import { escapeHtml } from './escape-html.js';
import { pageAnswer } from './page.js';

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
