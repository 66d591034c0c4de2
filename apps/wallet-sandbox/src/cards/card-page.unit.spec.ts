import decodeQR from 'qr/decode.js';
import { type Card, cardPage, escapeHtml, unknownCardPage } from './card-page.js';

const card: Card = {
  brandId: '101',
  programId: '2001',
  serialNumber: 'WS-0000100002',
  templateId: 11,
  templateTierId: 2,
  firstName: 'Ada',
  lastName: 'Lovelace',
  message: 'Welcome',
  statusCode: 'ACTIVE',
  fields: { points: 0, status: 'Gold', seat: '12', row: 'C', section: 'B', gate: 'D', expiryDate: '2027-12-31' },
  wallet: 'apple',
  brandName: 'Berlin Coffee',
  templateName: 'Stamp card',
};

/** What a row of the card says. */
function rowOf(body: string, label: string): string | undefined {
  return new RegExp(`<dt>${label}</dt><dd>(.*?)</dd>`).exec(body)?.[1];
}

/** The modules of the page's QR code as an image, four pixels a module, decoded by the library's own reader. */
function readQrCode(body: string): string {
  const [, size = ''] = /<svg viewBox="0 0 (\d+) \d+"/.exec(body) ?? [];
  const [, path = ''] = /<path d="([^"]*)"/.exec(body) ?? [];
  const scale = 4;
  const width = Number(size) * scale;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [x, y] of darkModules(path)) {
    for (let pixel = 0; pixel < scale * scale; pixel += 1) {
      const at = ((y * scale + Math.floor(pixel / scale)) * width + x * scale + (pixel % scale)) * 4;
      data.set([0, 0, 0], at);
    }
  }
  return decodeQR({ width, height: width, data });
}

/** Every `M` or `m` of the path starts one dark module. */
function darkModules(path: string): [x: number, y: number][] {
  let at: [number, number] = [0, 0];
  return [...path.matchAll(/([Mm])(-?[\d.]+)[ ,]?(-?[\d.]+)/g)].map(([, kind, x, y]) => {
    at = kind === 'M' ? [Number(x), Number(y)] : [at[0] + Number(x), at[1] + Number(y)];
    return at;
  });
}

it('shows what is printed on the card', () => {
  const { status, body } = cardPage(card);
  expect(status).toBe(200);
  expect(body).toContain('<h1>Berlin Coffee</h1>');
  expect(body).toContain('Apple Wallet');
  const labels = ['Card', 'Tier', 'Name', 'Points', 'Message', 'Status', 'Standing', 'Section', 'Row', 'Seat', 'Gate'];
  expect(labels.map((label) => rowOf(body, label))).toEqual([
    'Stamp card',
    '2',
    'Ada Lovelace',
    '0',
    'Welcome',
    'ACTIVE',
    'Gold',
    'B',
    'C',
    '12',
    'D',
  ]);
});

it.each([
  ['generic', 'Any wallet'],
  ['apple', 'Apple Wallet'],
  ['google', 'Google Wallet'],
] as const)('says which wallet it was made for: %s', (wallet, name) => {
  expect(cardPage({ ...card, wallet }).body).toContain(`<span class="note">${name}</span>`);
});

it('leaves out what the card does not have', () => {
  const bare = { ...card, templateTierId: null, firstName: null, message: null, fields: {} };
  const { body } = cardPage(bare);
  expect(['Tier', 'Points', 'Message', 'Seat'].map((label) => rowOf(body, label))).toEqual(Array(4).fill(undefined));
  expect(rowOf(body, 'Name')).toBe('Lovelace');
});

it('carries the serial number as a QR code', () => {
  expect(readQrCode(cardPage(card).body)).toBe('WS-0000100002');
});

describe('values that would be HTML', () => {
  const hostile = `"><script>alert('x')</script>&amp;<!--`;
  const page = cardPage({
    ...card,
    serialNumber: hostile,
    firstName: hostile,
    lastName: hostile,
    message: hostile,
    statusCode: hostile,
    fields: {
      points: 0,
      status: hostile,
      seat: hostile,
      row: hostile,
      section: hostile,
      gate: hostile,
      expiryDate: hostile,
    },
    brandName: hostile,
    templateName: hostile,
  });

  it('are text', () => {
    expect(page.body).not.toContain('<script');
    expect(page.body).not.toContain('<!--');
    expect(rowOf(page.body, 'Message')).toBe(
      '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;&lt;!--',
    );
  });

  it('leave the page the tags it has without them', () => {
    const tags = (body: string): string[] => [...body.matchAll(/<[^>]*>/g)].map(([tag]) => tag.slice(0, 6));
    expect(tags(page.body).filter((tag) => tag !== '<path ')).toEqual(
      tags(cardPage({ ...card, serialNumber: 'x'.repeat(50) }).body).filter((tag) => tag !== '<path '),
    );
  });
});

it.each([
  ['<b>', '&lt;b&gt;'],
  [`"'`, '&quot;&#39;'],
  ['&lt;', '&amp;lt;'],
  ['plain 😀', 'plain 😀'],
])('%s is written %s', (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped);
});

it('pages run nothing, load nothing and are framed by nobody', () => {
  for (const { headers, body } of [cardPage(card), unknownCardPage()]) {
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'.*style-src 'sha256-[^']+='.*frame-ancestors/,
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).not.toMatch(/<script|\son\w+=|style="|src=|href=/);
  }
});
