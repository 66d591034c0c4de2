import type { SoakHouse } from '../installation/soak-house.js';
import { mayEnter } from './operator.js';
import { untilAllTell } from './until-all-tell.js';

const obtainedText = 'partner token obtained';
/** In the line that says which files were read again. */
const [clientSecretText, operatorTokensText] = ['"WALLET_CLIENT_SECRET_FILE"', '"OPS_TOKENS_FILE"'];

/** The partner gives us another secret and takes no token of the old one; done when every daemon has a new token. */
export async function rotateClientSecret({ wallet, secrets, slots }: SoakHouse): Promise<void> {
  const rotate = async (): Promise<void> => wallet.rotateSecret(await secrets.renewClientSecret());
  await untilAllTell(slots, obtainedText, () => untilAllTell(slots, clientSecretText, rotate));
}

/** The operators' tokens are replaced; done when every daemon has heard of it. Who has the old one is not let in. */
export async function rotateOperatorToken(house: SoakHouse): Promise<void> {
  const { secrets, slots } = house;
  const old = secrets.operatorToken;
  await untilAllTell(slots, operatorTokensText, () => secrets.renewOperatorToken());
  const entries = await Promise.all(
    slots.flatMap((slot) => [mayEnter(slot, secrets.operatorToken), mayEnter(slot, old)]),
  );
  if (entries.some((isLetIn, index) => isLetIn !== (index % 2 === 0))) {
    throw new Error(`an operator's new token must be let in and the old one not: ${entries.join(', ')}`);
  }
}
