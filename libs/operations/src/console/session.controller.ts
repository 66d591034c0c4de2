import { Body, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { z } from 'zod';

import type { ConsoleView, MeView, RedeemedLink } from '#contracts';
import { consoleViewSchema, linkRedemptionSchema, meViewSchema, redeemedLinkSchema } from '#contracts';

import { ConsoleSettings } from './console-settings.js';
import { AccessSettings } from '../access/access-settings.js';
import { ApiController } from '../access/access.guard.js';
import { FailedLogins } from '../access/authenticator.js';
import type { Actor, AdmittedRequest } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, BodyBytesMax, InPrograms, Public, Roles } from '../access/route-rules.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTimeOrNull, ZodPipe } from '../requests/read-request.js';

const ok = 200;
/** The clients of these routes have no token: nothing larger is read. */
const codeBodyBytesMax = 1024;

function noSuchLink(): ApiProblem {
  const detail = 'It has been used, is older than ten minutes, or never was.';
  return new ApiProblem({ status: 404, code: 'no-login-link', title: 'The link does not work', detail });
}

/** How an operator logs in to the console, and who they are then. */
@ApiController('')
export class SessionController {
  private readonly failures: FailedLogins;

  constructor(
    private readonly access: AccessSettings,
    private readonly settings: ConsoleSettings,
  ) {
    this.failures = new FailedLogins(access.clock);
  }

  @Get('console')
  @Public()
  @ApiOperation({ summary: 'How people log in to the console', answer: consoleViewSchema })
  console(): ConsoleView {
    const { oidc } = this.access;
    const { version } = this.settings;
    return { version, oidc: (oidc?.console && { issuer: oidc.issuer, ...oidc.console }) ?? null };
  }

  @Get('me')
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Who the token is, and what it allows', answer: meViewSchema })
  me(@ByActor() { name, role, subject, programs, until }: Actor): MeView {
    const { isReadOnly: readOnly } = this.access;
    return {
      ...{ name, role, subject: subject ?? null, limitedTo: programs === null ? null : [...programs] },
      ...{ readOnly, expiresAt: isoTimeOrNull(until ?? null), docsUrl: this.settings.docsUrl },
    };
  }

  /** Where no links are made nothing can be guessed, and nothing is counted. */
  @Post('login-links/redeem')
  @HttpCode(ok)
  @Public()
  @BodyBytesMax(codeBodyBytesMax)
  @ApiOperation({
    summary: 'The token of a link that works once; only `dev` and the demo make some',
    answer: redeemedLinkSchema,
  })
  redeem(
    @Body(new ZodPipe(linkRedemptionSchema)) { code }: z.output<typeof linkRedemptionSchema>,
    @Req() { address = '' }: AdmittedRequest,
  ): RedeemedLink {
    const { loginLinks } = this.settings;
    if (loginLinks === null) throw noSuchLink();
    const token = loginLinks.redeem(code);
    if (token !== null) return { token };
    this.failures.count({ address, credential: code });
    throw noSuchLink();
  }
}
