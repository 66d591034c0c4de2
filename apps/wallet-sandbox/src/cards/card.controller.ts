import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Database } from '#platform';
import type { HttpReply, HttpRequest } from '../http/call.js';
import { refuse } from '../http/refusal.js';
import { writeAnswer } from '../http/write-answer.js';
import { Catalogue } from '../seed/catalogue.js';
import { DATABASE } from '../store/statement.js';
import { cardPage, unknownCardPage } from './card-page.js';
import type { Card, CardFace } from './card.js';
import { cardsPath, type WalletKind } from './download-links.js';
import { selectCardFace } from './select-card-face.js';

/** Where the download links lead (partner-api.md section 2): a cardholder opens them, so no token is needed. */
@Controller(`${cardsPath}/:serialNumber`)
export class CardController {
  constructor(
    private readonly catalogue: Catalogue,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  @Get()
  showGeneric(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply): Promise<string | undefined> {
    return this.show('generic', request, reply);
  }

  @Get('apple')
  showApple(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply): Promise<string | undefined> {
    return this.show('apple', request, reply);
  }

  @Get('google')
  showGoogle(@Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply): Promise<string | undefined> {
    return this.show('google', request, reply);
  }

  private async show(wallet: WalletKind, request: HttpRequest, reply: HttpReply): Promise<string | undefined> {
    const { serialNumber } = request.params as { readonly serialNumber: string };
    const face = await selectCardFace(this.database, serialNumber);
    if (face !== null) return writeAnswer(reply, cardPage(this.toCard(face, wallet)));
    if (request.headers.accept?.includes('text/html') !== true) refuse(404, 'No such card');
    return writeAnswer(reply, unknownCardPage());
  }

  private toCard(face: CardFace, wallet: WalletKind): Card {
    const program = this.catalogue.find(face);
    const template = program?.templates.find(({ id }) => id === face.templateId);
    return {
      ...face,
      wallet,
      brandName: program?.brand.name ?? `brand ${face.brandId}`,
      templateName: template?.name ?? `template ${face.templateId}`,
    };
  }
}
