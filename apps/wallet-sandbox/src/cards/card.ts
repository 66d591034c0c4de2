import type { WalletKind } from './download-links.js';

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
