import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Database } from '#platform';
import { writeAnswer } from '../http/answer.js';
import type { HttpReply, HttpRequest } from '../http/call.js';
import { refuse } from '../http/refusal.js';
import { cardsPath, type WalletKind } from '../passes/pass.js';
import { Catalogue } from '../seed/catalogue.js';
import { DATABASE, statement } from '../store/database.js';
import { type Card, type CardFace, cardPage, unknownCardPage } from './card-page.js';

/** Asks for nothing that is not on the card, so that nothing else can slip onto its page. */
const selectCardFaceStatement = statement(
  'select_card_face',
  `SELECT p.brand_id AS "brandId", p.program_id AS "programId", p.serial_number AS "serialNumber",
     p.template_id AS "templateId", p.template_tier_id AS "templateTierId", p.current_message AS message,
     p.status_code AS "statusCode", h.attributes ->> 'firstName' AS "firstName",
     h.attributes ->> 'lastName' AS "lastName",
     jsonb_strip_nulls(jsonb_build_object(
       'points', p.passdata -> 'points', 'status', p.passdata -> 'status', 'seat', p.passdata -> 'seat',
       'row', p.passdata -> 'row', 'section', p.passdata -> 'section', 'gate', p.passdata -> 'gate',
       'expiryDate', p.passdata -> 'expiryDate')) AS fields
   FROM wallet_sandbox.pass p LEFT JOIN wallet_sandbox.person h ON h.person_id = p.person_id
   WHERE p.serial_number = $1`,
);

/** The card of a serial number, as last committed; null when there is none. */
async function selectCardFace(database: Database, serialNumber: string): Promise<CardFace | null> {
  if (serialNumber.includes('\0')) return null;
  return (await database.execute<CardFace>(selectCardFaceStatement, [serialNumber])).rows[0] ?? null;
}

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
