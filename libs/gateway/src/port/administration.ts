import type {
  Brand,
  BrandAttribute,
  BrandAttributeChange,
  BrandAttributeInput,
  BrandChange,
  TemplateInput,
  TransactionAttribute,
  TransactionAttributeInput,
  TransactionType,
  TransactionTypeChange,
  WalletTemplate,
} from '#contracts';
import type { ProgramReference } from '#intents/core';
import type { AttemptReport, CallOptions } from './call.js';

export interface BrandReference {
  readonly brandId: string;
}

export interface TransactionTypeReference extends ProgramReference {
  readonly transactionTypeId: string;
}

export interface BrandAttributeReference extends BrandReference {
  readonly brandAttributeId: string;
}

export type TransactionTypeUpdate = TransactionTypeReference & TransactionTypeChange;
export type TransactionAttributeCreation = TransactionTypeReference & TransactionAttributeInput;
export type BrandAttributeCreation = BrandReference & BrandAttributeInput;
export type BrandAttributeUpdate = BrandAttributeReference & BrandAttributeChange;
export type TemplateCreation = ProgramReference & TemplateInput;
export type BrandUpdate = BrandReference & BrandChange;

/** One of the calls that provisioning makes, by its name, with its input. */
export type AdministrationCall =
  | { readonly call: 'updateTransactionType'; readonly input: TransactionTypeUpdate }
  | { readonly call: 'createTransactionAttribute'; readonly input: TransactionAttributeCreation }
  | { readonly call: 'createBrandAttribute'; readonly input: BrandAttributeCreation }
  | { readonly call: 'updateBrandAttribute'; readonly input: BrandAttributeUpdate }
  | { readonly call: 'createTemplate'; readonly input: TemplateCreation }
  | { readonly call: 'updateBrand'; readonly input: BrandUpdate };

/**
 * The calls that configure a brand and its programs. None can be read back: the specification lists neither
 * attributes nor types nor templates. Calls about a brand as a whole speak the dialect of `WALLET_DIALECT`, for they
 * belong to no program.
 */
export interface Administration {
  /** 4.8 Update a transaction type. */
  updateTransactionType(update: TransactionTypeUpdate, options: CallOptions): Promise<AttemptReport<TransactionType>>;
  /** 4.9 Create a transaction type attribute. */
  createTransactionAttribute(
    creation: TransactionAttributeCreation,
    options: CallOptions,
  ): Promise<AttemptReport<TransactionAttribute>>;
  /** 4.10 Create a brand attribute. */
  createBrandAttribute(creation: BrandAttributeCreation, options: CallOptions): Promise<AttemptReport<BrandAttribute>>;
  /** 4.11 Update a brand attribute. */
  updateBrandAttribute(update: BrandAttributeUpdate, options: CallOptions): Promise<AttemptReport<BrandAttribute>>;
  /** 4.12 Create a wallet template. */
  createTemplate(creation: TemplateCreation, options: CallOptions): Promise<AttemptReport<WalletTemplate>>;
  /** 4.13 Update a brand. */
  updateBrand(update: BrandUpdate, options: CallOptions): Promise<AttemptReport<Brand>>;
}
