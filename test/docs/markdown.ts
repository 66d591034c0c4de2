import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dirname, '../..');

/** One page of the documentation; `path` is relative to the project's root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(projectRoot, path), 'utf8') };
}

/** README.md and every page below docs/. */
export function allPages(): Page[] {
  const inDocs = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...inDocs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)].map(readPage);
}

const fence = /^```([^\n]*)\n(.*?)^```$/gms;

/** The fenced code blocks whose info string is `info`, in order. */
export function codeBlocks({ text }: Page, info: string): string[] {
  return [...text.matchAll(fence)].filter(([, found]) => found === info).map(([, , code]) => code ?? '');
}

/** What is left without code, in which a bracket is no link and a hash no heading. */
export function proseOf({ text }: Page): string {
  return text.replace(fence, '').replace(/`[^`\n]*`/g, 'code');
}

/** Targets of inline links, as written. */
export function linksOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => target ?? '');
}

/** The anchors that GitHub gives the headings. */
export function anchorsOf({ text }: Page): Set<string> {
  const headings = text.replace(fence, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set([...headings].map(([, title]) => anchorOf(title ?? '')));
}

function anchorOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
