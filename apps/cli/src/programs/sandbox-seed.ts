import type { ProgramsFile } from '#contracts';

type Program = ProgramsFile['programs'][string];

interface SeedAttribute {
  readonly name: string;
  readonly unique: boolean;
}

interface SeedWorkflow {
  readonly id: string;
  readonly does: 'issue' | 'update';
}

/** One program of the partner, as the sandbox is set up with it (apps/wallet-sandbox/README.md, A seed). */
interface SeedProgram {
  readonly id: string;
  readonly enrolment: 'direct' | 'workflow';
  readonly templates: readonly number[];
  readonly tiers: readonly number[];
  readonly workflows: readonly SeedWorkflow[];
  readonly transactionTypes: readonly {
    readonly id: string;
    readonly name: string;
    readonly attributes: readonly SeedAttribute[];
  }[];
  readonly rewards: readonly { readonly id: string; readonly points: number }[];
}

interface SandboxSeed {
  readonly brands: readonly {
    readonly id: string;
    readonly uniqueIdentifier: string;
    readonly memberKey: string;
    readonly brandAttributes: readonly object[];
    readonly programs: readonly SeedProgram[];
  }[];
}

/** Where a program names no template the sandbox still needs one. */
const anyTemplate = 1;
/** Of the one brand attribute that a seed has: the member's id. */
const memberAttributeId = 501;

/**
 * A partner that has just what a programs file names: brands, programs, workflows, transaction types, rewards. Two programs of
 * ours that are one of the partner's are one.
 */
export function sandboxSeed({ programs }: ProgramsFile): SandboxSeed {
  const brands = Map.groupBy(Object.values(programs), ({ brandId }) => brandId);
  return { brands: [...brands].map(([id, ofBrand]) => seedBrand(id, ofBrand)) };
}

function seedBrand(id: string, ofBrand: readonly Program[]): SandboxSeed['brands'][number] {
  const isByEmail = ofBrand.some(({ lookup }) => lookup.by === 'email');
  const memberKey = ofBrand[0]?.uniqueIdKey ?? 'memberId';
  const programs = Map.groupBy(ofBrand, ({ programId }) => programId);
  return {
    id,
    uniqueIdentifier: isByEmail ? 'email' : `metaData.${memberKey}`,
    memberKey,
    brandAttributes: [{ id: memberAttributeId, name: memberKey, searchable: true, unique: true }],
    programs: [...programs].map(([programId, same]) => seedProgram(programId, same)),
  };
}

function seedProgram(id: string, same: readonly Program[]): SeedProgram {
  const templates = same.flatMap(({ templateId, tierTemplates = {} }) => [
    ...(templateId === null ? [] : [templateId]),
    ...Object.values(tierTemplates),
  ]);
  return {
    id,
    enrolment: same.every(({ enrolment }) => enrolment.via === 'workflow') ? 'workflow' : 'direct',
    templates: distinct(templates.length === 0 ? [anyTemplate] : templates),
    tiers: distinct(same.flatMap(({ tiers }) => Object.values(tiers))),
    workflows: workflowsOf(same),
    transactionTypes: transactionTypesOf(same),
    rewards: rewardsOf(same),
  };
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}

/** One that is named for both updates: that issues a pass, too, where there is none. */
function workflowsOf(same: readonly Program[]): SeedWorkflow[] {
  const does = new Map<string, SeedWorkflow['does']>();
  for (const { enrolment } of same) for (const id of workflowIds(enrolment)) does.set(id, 'issue');
  for (const { update } of same) for (const id of workflowIds(update)) does.set(id, 'update');
  return [...does].map(([id, what]) => ({ id, does: what }));
}

function workflowIds(mapping: Program['enrolment'] | Program['update']): readonly string[] {
  if (mapping.via !== 'workflow') return [];
  return [mapping.workflowId, ...Object.values(mapping.choose?.workflows ?? {})];
}

function transactionTypesOf(same: readonly Program[]): SeedProgram['transactionTypes'] {
  const types = new Map<string, Map<string, boolean>>();
  const mappings = same.flatMap(({ purchases }) => Object.entries(purchases));
  const names = new Map<string, string>();
  for (const [name, mapping] of mappings) {
    if (mapping?.via !== 'transaction') continue;
    const { transactionTypeId: id, attributes, uniqueAttribute, uniqueEnforced } = mapping;
    const known = types.get(id) ?? new Map<string, boolean>();
    for (const attribute of Object.keys(attributes)) {
      const isUnique = uniqueEnforced && attribute === uniqueAttribute;
      known.set(attribute, isUnique || known.get(attribute) === true);
    }
    types.set(id, known);
    if (!names.has(id)) names.set(id, name);
  }
  return [...types].map(([id, attributes]) => ({
    id,
    name: names.get(id) ?? id,
    attributes: [...attributes].map(([name, unique]) => ({ name, unique })),
  }));
}

function rewardsOf(same: readonly Program[]): SeedProgram['rewards'] {
  const points = new Map<string, number>();
  for (const { rewards, revoked } of same) {
    for (const { id, pointsDelta } of Object.values(rewards)) points.set(id, pointsDelta ?? 0);
    if (revoked.via === 'reward') points.set(revoked.id, revoked.pointsDelta ?? 0);
  }
  return [...points].map(([id, delta]) => ({ id, points: delta }));
}
