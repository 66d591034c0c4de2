import { enrolmentKeyOf } from '../owed/business-key.js';
import type { PartnerCommand } from '../owed/partner-command.js';
import type { BusinessKey, CancelRequest, RoutedIntent } from '../owed/route-result.js';
import { emailKeyOf } from '../owed/route-result.js';

/** How many merges one behind another are followed. */
export const mergesFollowedMax = 16;

/**
 * In whom a member lives on: the end of its merges.
 * @param into whom a member was merged into; null: nobody
 */
export function survivorOf(memberId: string, into: (memberId: string) => string | null): string {
  let survivor = memberId;
  for (let merges = 0; merges < mergesFollowedMax; merges += 1) {
    const next = into(survivor);
    if (next === null) return survivor;
    survivor = next;
  }
  return survivor;
}

/** Of two members one was absorbed, and lives on in the other. */
export interface Survival {
  readonly absorbed: string;
  readonly survivor: string;
}

/** What is given once for a campaign, as another member's; any other key as it is. */
export function campaignKeyFor(key: BusinessKey, memberId: string): BusinessKey {
  const [campaign] = key.scope === 'campaign' ? key.parts : [];
  return campaign === undefined ? key : { ...key, parts: [campaign, memberId] };
}

/** What is owed to an absorbed member, for the survivor: on the survivor's pass, under the survivor's enrolment. */
export function owedToSurvivor(intent: RoutedIntent, { absorbed, survivor }: Survival): RoutedIntent {
  const { command, businessKey, alias } = intent;
  return {
    ...intent,
    ...(alias && { alias: { ...alias, key: campaignKeyFor(alias.key, survivor) } }),
    memberId: survivor,
    command: command === null ? null : commandOfSurvivor(command, { absorbed, survivor }),
    businessKey: businessKey?.scope === 'enrolment' ? enrolmentKeyOf({ memberId: survivor }) : businessKey,
  };
}

/** What an event of an absorbed member takes back, for the survivor. */
export function cancelledForSurvivor(cancel: CancelRequest, survival: Survival): CancelRequest {
  const { ifTooLate } = cancel;
  const late = ifTooLate === null ? null : owedToSurvivor(ifTooLate, survival);
  return { ...cancel, memberId: survival.survivor, absorbed: survival.absorbed, ifTooLate: late };
}

/** The pass is looked up by what the absorbed member's would be only where that is not their id. */
export function commandOfSurvivor(command: PartnerCommand, { absorbed, survivor }: Survival): PartnerCommand {
  const { by, ...rest } = command;
  const ownBy = by?.value === absorbed ? emailKeyOf([survivor]) : by;
  const addressed = { ...rest, uniqueId: survivor, ...(ownBy && { by: ownBy }) };
  if (!('content' in addressed)) return addressed;
  const { content, uniqueIdKey } = addressed;
  const metaData = content.passdata?.metaData;
  if (metaData === undefined || !Object.hasOwn(metaData, uniqueIdKey)) return addressed;
  const passdata = { ...content.passdata, metaData: { ...metaData, [uniqueIdKey]: survivor } };
  return { ...addressed, content: { ...content, passdata } };
}
