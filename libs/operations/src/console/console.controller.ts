import { randomBytes } from 'node:crypto';

import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';

import { AccessSettings } from '../access/access-settings.js';
import { Public } from '../access/route-rules.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { ConditionalRequest, StaticReply } from '../requests/static-document.js';
import { revalidated, sendStatic } from '../requests/static-document.js';
import type { ConsoleFile } from './console-files.js';
import { ConsoleFiles } from './console-files.js';
import { consoleHeaders } from './console-headers.js';
import { ConsoleSettings } from './console-settings.js';

const pageName = 'index.html';
const nonceBytes = 16;

/** Of paths where something else is served, or would be. */
const reserved: readonly string[] = ['api', 'health', 'metrics', 'assets'];
const dots: readonly string[] = ['.', '..'];

/**
 * Whether the console's own navigation may lead there. What looks like a file at the root is none; deeper down it may be a
 * member's e-mail address.
 */
function isPlaceInConsole(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  if (reserved.includes(first) || [first, ...rest].some((part) => dots.includes(decoded(part)))) return false;
  return rest.length > 0 || !first.includes('.');
}

function decoded(part: string): string {
  return part.replaceAll(/%2e/gi, '.');
}

const immutable = 'public, max-age=31536000, immutable';

function headersOf({ type, coding, hasCodings, isHashed }: ConsoleFile): Readonly<Record<string, string>> {
  return {
    'content-type': type,
    'cache-control': isHashed ? immutable : revalidated,
    ...(coding === null ? {} : { 'content-encoding': coding }),
    ...(hasCodings ? { vary: 'accept-encoding' } : {}),
  };
}

interface AskedFor extends ConditionalRequest {
  /** Without the base path. */
  readonly url: string;
  readonly headers: ConditionalRequest['headers'] & { readonly 'accept-encoding'?: string | undefined };
}

/** The web console: its files, and its page at every path of it. Clients are unauthenticated: nothing here is secret. */
@Controller()
export class ConsoleController {
  private readonly files: ConsoleFiles;
  private readonly issuer: string | null;
  private isAbsenceTold = false;

  constructor(
    private readonly console: ConsoleSettings,
    { oidc }: AccessSettings,
  ) {
    this.files = new ConsoleFiles(console.folder);
    this.issuer = (oidc?.console && oidc.issuer) ?? null;
  }

  @Get(['', '*'])
  @Public()
  async serve(@Req() request: AskedFor, @Res() reply: StaticReply): Promise<void> {
    const path = (request.url.split('?', 1)[0] ?? '').slice(1);
    if (path !== pageName && this.files.has(path)) await this.sendFile(path, request, reply);
    else if (isPlaceInConsole(path)) await this.sendPage(reply);
    else throw new NotFoundException();
  }

  private async sendFile(path: string, request: AskedFor, reply: StaticReply): Promise<void> {
    const file = await this.files.find(path, request.headers['accept-encoding']);
    if (file === null) throw new NotFoundException();
    const headers = { ...consoleHeaders({ issuer: this.issuer, nonce: null }), ...headersOf(file) };
    sendStatic(file, request, reply, headers);
  }

  private async sendPage(reply: StaticReply): Promise<void> {
    const file = await this.files.find(pageName);
    if (file === null) throw this.absent();
    const nonce = randomBytes(nonceBytes).toString('base64');
    const { basePath } = this.console;
    const page = file.bytes
      .toString('utf8')
      .replaceAll('%CONSOLE_BASE%', basePath === '/' ? basePath : `${basePath}/`)
      .replaceAll('%CONSOLE_NONCE%', nonce);
    // Never cached: its nonce is for this answer only, and the next release has other files.
    const headers = { 'content-type': file.type, 'cache-control': 'no-store' };
    reply.headers({ ...consoleHeaders({ issuer: this.issuer, nonce }), ...headers }).send(page);
  }

  private absent(): ApiProblem {
    if (!this.isAbsenceTold) this.console.onAbsent();
    this.isAbsenceTold = true;
    const detail = 'This process was installed without its console. The API is below api/v1.';
    return new ApiProblem({ status: 404, code: 'no-console', title: 'There is no console here', detail });
  }
}
