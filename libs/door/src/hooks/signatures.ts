import { createHmac, timingSafeEqual } from 'node:crypto';

import type { Hook } from '#contracts';
import type { ExactDocument } from '#events';

import { exactDocument } from '../exact-body.js';

/** A webhook as it came: not a byte of its body has been changed. */
export interface SignedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
}

/** `rule` names what is wrong with the signature, and quotes nothing. */
export type SignatureVerdict = { readonly ok: true } | { readonly ok: false; readonly rule: string };

const valid: SignatureVerdict = { ok: true };
const refuse = (rule: string): SignatureVerdict => ({ ok: false, rule });
const wrong = refuse('the signature is none of ours');

type Encoding = 'hex' | 'base64';

const digestBytes = 32;

/** The bytes of a signature; null where it is not written as it should be. */
function signatureBytes(text: string, encoding: Encoding): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  const isWhole = encoding === 'hex' ? text.length === 2 * digestBytes : bytes.toString('base64') === text;
  return isWhole && bytes.length === digestBytes ? bytes : null;
}

interface Signed {
  readonly parts: readonly (string | Uint8Array)[];
  readonly signatures: readonly (Buffer | null)[];
}

/** Looks at every key and every signature, so that the time tells nothing of them. */
function isSigned({ parts, signatures }: Signed, keys: readonly (string | Uint8Array)[]): boolean {
  let isFound = false;
  for (const key of keys) {
    const mac = createHmac('sha256', key);
    for (const part of parts) mac.update(part);
    const expected = mac.digest();
    for (const signature of signatures) {
      if (signature !== null && timingSafeEqual(expected, signature)) isFound = true;
    }
  }
  return isFound;
}

interface HeaderSignature {
  readonly header: string;
  readonly encoding: Encoding;
  readonly prefix?: string;
  /** Signed before the body. */
  readonly before?: string;
}

function judgeHeader(
  { header, encoding, prefix = '', before = '' }: HeaderSignature,
  secrets: readonly string[],
  { headers, body }: SignedRequest,
): SignatureVerdict {
  const text = headers[header];
  if (text === undefined) return refuse(`${header}: required`);
  if (!text.startsWith(prefix)) return wrong;
  const signatures = [signatureBytes(text.slice(prefix.length), encoding)];
  return isSigned({ parts: [before, body], signatures }, secrets) ? valid : wrong;
}

type HookOf<Scheme extends Hook['scheme']> = Extract<Hook, { readonly scheme: Scheme }>;

/** `t=1492774577,v1=5257a8...,v1=...`: the time is signed before the body; several `v1` while a secret is rotated. */
function judgeTimed(
  { header, windowSeconds }: HookOf<'stripe'>,
  secrets: readonly string[],
  { headers, body, now }: SignedRequest,
): SignatureVerdict {
  const text = headers[header];
  if (text === undefined) return refuse(`${header}: required`);
  const parts = text.split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = '', ...others] = valuesOf('t');
  if (!/^\d{1,12}$/.test(time) || others.length > 0) return refuse(`${header}: must name one time`);
  const signatures = valuesOf('v1').map((value) => signatureBytes(value, 'hex'));
  if (!isSigned({ parts: [`${time}.`, body], signatures }, secrets)) return wrong;
  const isInWindow = Math.abs(now / 1_000 - Number(time)) <= windowSeconds;
  return isInWindow ? valid : refuse(`${header}: signed more than ${windowSeconds} s ago, or ahead`);
}

type Fields = Readonly<Record<string, ExactDocument>>;

function isFields(value: ExactDocument | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a field is signed as; null: it is a list or has fields itself. */
function signedText(field: ExactDocument | undefined): string | null {
  if (field === undefined || field === null) return '';
  return typeof field === 'object' ? null : String(field);
}

/**
 * What is signed of an item: these, in this order; what it lacks is empty. Nothing tells a colon within from one between them, so
 * only the reference that the shop makes may have some: then no other item has the same text.
 */
function adyenText(item: Fields): string | null {
  const amount = isFields(item['amount']) ? item['amount'] : {};
  const { pspReference, originalReference, merchantAccountCode, merchantReference, eventCode, success } = item;
  const before = [pspReference, originalReference, merchantAccountCode].map(signedText);
  const behind = [amount['value'], amount['currency'], eventCode, success].map(signedText);
  if ([...before, ...behind].some((text) => text?.includes(':') === true)) return null;
  const texts = [...before, signedText(merchantReference), ...behind];
  return texts.includes(null) ? null : texts.join(':');
}

const adyenItemsMax = 100;
/** Far more than Adyen sends at once. What is signed stands within the document, so that strangers' bodies are read: not for long. */
export const adyenBytesMax = 64 * 1024;

/** Each item carries its own signature, of some of its fields; all must be right. */
function judgeItems(secrets: readonly string[], { body }: SignedRequest): SignatureVerdict {
  if (body.byteLength > adyenBytesMax) return refuse(`longer than ${adyenBytesMax} bytes`);
  const document = exactDocument(body);
  const items = isFields(document) ? document['notificationItems'] : undefined;
  if (!Array.isArray(items) || items.length === 0 || items.length > adyenItemsMax) {
    return refuse(`notificationItems: required, at most ${adyenItemsMax}`);
  }
  const keys = secrets.flatMap((secret) => (/^(?:[0-9a-fA-F]{2})+$/.test(secret) ? [Buffer.from(secret, 'hex')] : []));
  const isRight = (items as readonly ExactDocument[]).map((each) => isSignedItem(each, keys));
  return isRight.every(Boolean) ? valid : wrong;
}

function isSignedItem(each: ExactDocument, keys: readonly Buffer[]): boolean {
  const item = isFields(each) ? each['NotificationRequestItem'] : undefined;
  if (!isFields(item)) return false;
  const { additionalData } = item;
  const signature = isFields(additionalData) ? additionalData['hmacSignature'] : undefined;
  const text = adyenText(item);
  if (typeof signature !== 'string' || text === null) return false;
  return isSigned({ parts: [text], signatures: [signatureBytes(signature, 'base64')] }, keys);
}

/**
 * Whether a webhook was signed with one of the secrets, as its scheme says: Shopify (HMAC-SHA256 of the body, base64), Square (of
 * the notification's URL and the body), Adyen (of fields of each item, under a key in hex), Stripe (of a time and the body), or
 * a header of any name. Only what is signed is known to come from the vendor: of Adyen those fields, and no others.
 */
export function judgeSignature(hook: Hook, secrets: readonly string[], request: SignedRequest): SignatureVerdict {
  switch (hook.scheme) {
    case 'shopify':
      return judgeHeader({ header: 'x-shopify-hmac-sha256', encoding: 'base64' }, secrets, request);
    case 'square':
      return judgeHeader(
        { header: 'x-square-hmacsha256-signature', encoding: 'base64', before: hook.url },
        secrets,
        request,
      );
    case 'adyen':
      return judgeItems(secrets, request);
    case 'stripe':
      return judgeTimed(hook, secrets, request);
    case 'hmac':
      return judgeHeader(hook, secrets, request);
    default:
      return hook satisfies never;
  }
}
