import { isKeptUnique } from '../brand-attributes/governing.js';
import type { PassContent } from '../contract/wallet-pass.js';
import type { WorkingSet } from '../effects/working-set.js';
import type { Call } from '../http/call.js';
import type { Program } from '../seed/catalogue.js';
import { heldMetaData, uniqueMetaData } from './meta-data.js';
import type { Pass } from './pass.js';

interface MetaDataRequest {
  readonly program: Program;
  readonly uniqueId: string;
  readonly content: PassContent;
  readonly call: Pick<Call, 'wording' | 'enforceUnique'>;
}

/** The refusal of a metaData value that another cardholder of the brand has under a unique attribute, or null. */
export function findTaken(state: WorkingSet, request: MetaDataRequest): string | null {
  const { program, uniqueId, content, call } = request;
  if (!call.enforceUnique) return null;
  const values = uniqueMetaData(program.brand, content.passdata?.metaData ?? {});
  const taken = values.find((value) => state.metaData.isTaken(value, uniqueId));
  return taken === undefined ? null : call.wording.passExists(`passdata.metaData.${taken.attribute}`, taken.value);
}

/** Notes which unique values a pass holds whose content has changed; nothing where the brand keeps none unique. */
export function holdMetaData(state: WorkingSet, { brand }: Program, pass: Pass): void {
  if (brand.attributes.some((attribute) => isKeptUnique(brand, attribute))) {
    state.metaData.put(pass.passId, heldMetaData(brand, pass));
  }
}
