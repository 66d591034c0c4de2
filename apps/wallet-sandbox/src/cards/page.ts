import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer.js';
import { escapeHtml } from './escape-html.js';

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
export function pageAnswer({ status, title, content }: Page): Answer {
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
