import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import type { Coding } from '../requests/accepted-coding.js';
import { acceptedCoding, codings } from '../requests/accepted-coding.js';
import type { StaticDocument } from '../requests/static-document.js';
import { staticDocument } from '../requests/static-document.js';

/** What the build writes; anything else that lies there is not served. */
const typeByExtension: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
};

/** What a file ends with that is coded so. */
const endings: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** A file as it is sent. */
export interface ConsoleFile extends StaticDocument {
  readonly type: string;
  /** Null: as it is. */
  readonly coding: Coding | null;
  /** Who accepts another coding is sent another answer. */
  readonly hasCodings: boolean;
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

const hashed = /^assets\/.+-[\w-]{8}\.\w+$/;

/** By their paths from there on, written with `/`; links are not followed. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  } catch {
    return [];
  }
}

/**
 * The files of the built console. Which there are is read once, and only what is in that list is ever opened, by its name
 * in it: whatever a request is spelt like leads nowhere else. Each is kept after it was first asked for, so that unauthenticated clients
 * cost neither reads nor memory of their own.
 */
export class ConsoleFiles {
  private readonly names: ReadonlySet<string>;
  private readonly contents = new Map<string, Promise<StaticDocument>>();

  /** @param folder of the build; there may be none */
  constructor(private readonly folder: string) {
    this.names = new Set(filesBelow(folder));
  }

  has(name: string): boolean {
    return this.names.has(name) && this.typeOf(name) !== undefined;
  }

  /** @param acceptEncoding the header @returns null where there is no such file, or none any more */
  async find(name: string, acceptEncoding = ''): Promise<ConsoleFile | null> {
    const type = this.typeOf(name);
    if (type === undefined || !this.names.has(name)) return null;
    const stored = codings.filter((each) => this.names.has(`${name}${endings[each]}`));
    const coding = acceptedCoding(acceptEncoding, stored);
    const ending = coding === null ? '' : endings[coding];
    const content = await this.contentOf(`${name}${ending}`);
    return content && { type, coding, hasCodings: stored.length > 0, isHashed: hashed.test(name), ...content };
  }

  private typeOf(name: string): string | undefined {
    const extension = /\.([a-z\d]+)$/.exec(name)?.[1] ?? '';
    return Object.hasOwn(typeByExtension, extension) ? typeByExtension[extension] : undefined;
  }

  private async contentOf(listed: string): Promise<StaticDocument | null> {
    const reading = this.contents.get(listed) ?? readFile(join(this.folder, listed)).then(staticDocument);
    this.contents.set(listed, reading);
    try {
      return await reading;
    } catch {
      // Built anew meanwhile.
      this.contents.delete(listed);
      return null;
    }
  }
}
