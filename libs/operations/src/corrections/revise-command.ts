import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import type { Program, SendAs } from '#contracts';
import type { JsonValue, Operation, PartnerCommand, TransactionCommand } from '#intents/core';
import { canonicalJson, withTotalLeft } from '#intents/core';

import { mask, maskOf, refuseMasked, shownName } from '../masking/mask-personal.js';
import { commandShape, shownParts } from '../masking/shown-documents.js';
import { readRequest, refuseRequest } from '../requests/read-request.js';
import { mergePatch, patchAs } from './merge-patch.js';

const id = z.string().min(1).max(512);
const jsonObject = z.record(z.string(), z.json());

const reference = {
  brandId: id,
  programId: id,
  uniqueId: id,
  uniqueIdKey: id,
  by: z.strictObject({ parameter: z.enum(['email', 'person_id']), value: id }).optional(),
  passId: id.optional(),
  serialNumber: id.optional(),
};

const content = z.strictObject({
  person: jsonObject.optional(),
  passdata: jsonObject.optional(),
  tierId: z.number().int().nullable().optional(),
  message: z.string().nullable().optional(),
  groupId: z.string().nullable().optional(),
  smsSubscription: z
    .union([z.literal(200), z.literal(300), z.literal(900)])
    .nullable()
    .optional(),
  templateId: z.number().int().nullable().optional(),
  ipAddress: z.string().optional(),
});

const workflow = { ...reference, workflowId: id, content };

/** A command as it may be corrected to: strictly what delivery knows to send (`PartnerCommand` of the domain). */
const commandSchemas = {
  issue: z.strictObject({ operation: z.literal('issue'), ...reference, content }),
  'issue-via-workflow': z.strictObject({ operation: z.literal('issue-via-workflow'), ...workflow }),
  'update-via-workflow': z.strictObject({ operation: z.literal('update-via-workflow'), ...workflow }),
  transaction: z.strictObject({
    operation: z.literal('transaction'),
    ...reference,
    transactionTypeId: id,
    amount: z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/, 'an exact decimal number as text'),
    transactionDate: z.iso.datetime(),
    offset: z
      .string()
      .regex(/^[+-]([01]\d|2[0-3]):[0-5]\d$/, 'an offset such as +01:00')
      .optional(),
    attributes: jsonObject,
    /** Its value is that of the attribute, and whether it is enforced is not for a correction to say: both may be left out. */
    uniqueAttribute: z
      .strictObject({ name: id, value: z.string().optional(), enforced: z.boolean().optional() })
      .optional(),
    pointsDelta: z.number().optional(),
  }),
  reward: z.strictObject({
    operation: z.literal('reward'),
    ...reference,
    rewardId: id,
    pointsDelta: z.number().optional(),
    validUntil: z.iso.datetime().optional(),
  }),
  'schedule-update': z.strictObject({
    operation: z.literal('schedule-update'),
    ...reference,
    scheduledName: z.string(),
    content,
  }),
} satisfies Readonly<Record<Operation, z.ZodObject>>;

type Json = Readonly<Record<string, unknown>>;

/** What every command has and a correction may not change: to whom, where, and as what the intent is sent. */
type FixedParts = Pick<PartnerCommand, 'operation' | 'brandId' | 'programId' | 'uniqueId' | 'uniqueIdKey'>;

type Named = Pick<PartnerCommand, 'by' | 'passId' | 'serialNumber'>;

/** The command before the correction, or what is known of one that was never made. */
export type CommandBase = PartnerCommand | (FixedParts & Named);

const fixed = ['operation', 'brandId', 'programId', 'uniqueId', 'uniqueIdKey', 'by', 'passId', 'serialNumber'] as const;

/**
 * What else names the pass: changed to another member's, the sale would be posted on that pass. Shown masked,
 * so that an operator who sends the whole command cannot repeat it: what the correction leaves out stays.
 */
function namesOf({ by, passId, serialNumber }: CommandBase): Named {
  return {
    ...(by === undefined ? {} : { by }),
    ...(passId === undefined ? {} : { passId }),
    ...(serialNumber === undefined ? {} : { serialNumber }),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson((one ?? null) as JsonValue) === canonicalJson((other ?? null) as JsonValue);
}

/** @throws {ApiProblem} that names the part, and quotes no value */
function refuseMoved(base: CommandBase, command: PartnerCommand): void {
  const moved = fixed.find((name) => !isSame(base[name], command[name]));
  if (moved !== undefined) refuseRequest(`${moved}: a correction cannot change to whom, where or as what it is sent`);
}

/** An attribute of a transaction type whose value the partner is claimed to refuse twice (`uniqueEnforced`). */
interface EnforcedAttribute {
  readonly transactionTypeId: string;
  readonly name: string;
}

type UniqueAttribute = NonNullable<TransactionCommand['uniqueAttribute']>;

/** A command as an operator has corrected it; a correction may leave out what it cannot change. */
type DraftCommand =
  | Exclude<PartnerCommand, TransactionCommand>
  | (Omit<TransactionCommand, 'uniqueAttribute'> & {
      readonly uniqueAttribute?: Pick<UniqueAttribute, 'name'> & Partial<UniqueAttribute>;
    });

/** What is known of uniqueness, whatever the correction says. */
interface Known {
  /** The command before the correction; null: there is none. */
  readonly current: PartnerCommand | null;
  readonly enforced: readonly EnforcedAttribute[];
}

/** What the programs file claims. Of two mappings of one type and attribute both must claim it. */
export function enforcedAttributes({ purchases }: Pick<Program, 'purchases'>): EnforcedAttribute[] {
  const claims = Object.values(purchases).flatMap((mapping) => {
    if (mapping?.via !== 'transaction' || mapping.uniqueAttribute === null) return [];
    const { transactionTypeId, uniqueAttribute: name, uniqueEnforced } = mapping;
    return [{ transactionTypeId, name, uniqueEnforced }];
  });
  return claims.filter((claim) => claims.every((other) => other.uniqueEnforced || !isOfSame(claim, other)));
}

function isOfSame(one: EnforcedAttribute, other: EnforcedAttribute): boolean {
  return one.transactionTypeId === other.transactionTypeId && one.name === other.name;
}

/** What the intent was recorded with, as long as type and attribute are the same; else what the programs file claims. */
function isEnforced(attribute: EnforcedAttribute, { current, enforced }: Known): boolean {
  if (current?.operation === 'transaction' && current.uniqueAttribute !== undefined) {
    const { transactionTypeId, uniqueAttribute: before } = current;
    if (isOfSame(attribute, { transactionTypeId, name: before.name })) return before.enforced;
  }
  return enforced.some((claim) => isOfSame(claim, attribute));
}

function valueOf({ attributes }: Pick<TransactionCommand, 'attributes'>, name: string): string {
  const value = attributes[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return refuseRequest(`attributes.${name}: the unique attribute must have a value`);
}

function saysOtherwise(sent: Readonly<Record<string, unknown>>, enforced: boolean): boolean {
  const said = (sent['uniqueAttribute'] as Partial<UniqueAttribute> | null | undefined)?.enforced;
  return said !== undefined && said !== enforced;
}

/**
 * The command with the attribute that the partner refuses twice as it must be. Its value is the attribute's: the two must
 * not part. Enforced is what was recorded or configured, not what the correction says: an unknown outcome is sent again because
 * of it, and without a partner that refuses that would be a second sale.
 * @param sent what the operator has sent
 * @throws {ApiProblem}
 */
function withUniqueAttribute(
  draft: DraftCommand,
  sent: Readonly<Record<string, unknown>>,
  known: Known,
): PartnerCommand {
  if (draft.operation !== 'transaction') return draft;
  const { uniqueAttribute, ...rest } = draft;
  if (uniqueAttribute === undefined) return rest;
  const { name } = uniqueAttribute;
  const isSure = isEnforced({ transactionTypeId: draft.transactionTypeId, name }, known);
  if (saysOtherwise(sent, isSure)) {
    refuseRequest('uniqueAttribute.enforced: the programs file says whether the partner enforces it, not a correction');
  }
  return { ...rest, uniqueAttribute: { name, value: valueOf(draft, name), enforced: isSure } };
}

export type Correction =
  | { readonly kind: 'replace'; readonly command: Readonly<Record<string, unknown>> }
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> }
  /** What is there, as a text or as a number. */
  | { readonly kind: 'send-as'; readonly sendAs: SendAs };

/** @throws {ApiProblem} */
function sentBy(correction: Correction, base: CommandBase): Json {
  switch (correction.kind) {
    case 'replace':
      return correction.command;
    case 'patch':
      return correction.patch;
    case 'send-as':
      return patchAs(shownParts(base), correction.sendAs);
  }
}

/** What the intent's program and member say of it, whatever its command is. */
export interface KnownParts extends FixedParts {
  readonly enforced: readonly EnforcedAttribute[];
}

/** The pass carries our member id: without it, or with another, it could not be matched to its member. */
function refuseOtherOwner({ uniqueId, uniqueIdKey, ...command }: PartnerCommand): void {
  if (!('content' in command)) return;
  const owner = command.content.passdata?.metaData?.[uniqueIdKey];
  const isIssue = command.operation === 'issue' || command.operation === 'issue-via-workflow';
  if (owner === uniqueId || (owner === undefined && !isIssue)) return;
  refuseRequest(`content.passdata.metaData.${uniqueIdKey}: must be the member's id`);
}

/**
 * The command that a correction makes of the present one.
 * @param parts as the intent has them already, or, where it has no command, as its program and member have them
 * @throws {ApiProblem} that names what is wrong, and quotes no values
 */
export function reviseCommand(
  current: PartnerCommand | null,
  parts: KnownParts,
  correction: Correction,
): PartnerCommand {
  const { enforced, ...known } = parts;
  const base = current ?? known;
  const sent = sentBy(correction, base);
  refuseMasked(sent);
  const whole = correction.kind === 'replace' ? { ...namesOf(base), ...sent } : mergePatch(shownParts(base), sent);
  const schema: z.ZodType = commandSchemas[base.operation];
  const draft = readRequest(schema, whole) as DraftCommand;
  const command = withTotalLeft(current, withUniqueAttribute(draft, sent, { current, enforced }));
  refuseMoved(base, command);
  refuseOtherOwner(command);
  return command;
}

/** One value that differs. Undefined where there was, or is, none. */
interface Change {
  /** Such as `attributes.store`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** A value as it is, and as it and its path may be shown. */
interface Leaf {
  readonly value: unknown;
  readonly shown: unknown;
  readonly shownPath: readonly string[];
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Of what is masked as a whole not even names are shown; where a name is masked, so is its value. */
function leavesBelow(path: string, { value, shown, shownPath }: Leaf): [string, Leaf][] {
  if (!isBranch(value) || !isBranch(shown)) return [[path, { value, shown, shownPath }]];
  return Object.entries(value).flatMap(([name, member]) => {
    const shownMember = Object.hasOwn(shown, name) ? shown[name] : maskOf(member);
    const leaf = { value: member, shown: shownMember, shownPath: [...shownPath, shownName(name)] };
    return leavesBelow(path === '' ? name : `${path}.${name}`, leaf);
  });
}

function leavesOf(value: unknown): ReadonlyMap<string, Leaf> {
  const own = shownParts(value);
  const shown = mask(own, commandShape);
  return new Map(value === null ? [] : leavesBelow('', { value: own, shown, shownPath: [] }));
}

const shownPathOf = (leaf: Leaf | undefined): string => leaf?.shownPath.join('.') ?? '';

/** The value at a path of names; undefined: there is none. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, name) => (isBranch(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);

/**
 * What differs between two commands, by path; personal values are masked.
 * @param typed what the operator who reads this has just sent: it is no secret to them
 */
export function listChanges(before: unknown, after: unknown, typed?: unknown): Change[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const [from, to] = [old.get(path), now.get(path)];
    if (isDeepStrictEqual(from?.value, to?.value)) return [];
    const isTyped = to !== undefined && isDeepStrictEqual(valueAt(typed, path), to.value);
    return [{ path: shownPathOf(to ?? from), from: from?.shown, to: isTyped ? to.value : to?.shown }];
  });
}
