import { sumOf } from '../receipt/account.js';
import { canonicalJson } from './canonical-json.js';
import type {
  JsonObject,
  JsonValue,
  OfTotal,
  PartnerCommand,
  TotalPart,
  TransactionCommand,
} from './partner-command.js';

const unsigned = (amount: string): string => amount.replace('-', '');

function totalOf({ amount }: Pick<TransactionCommand, 'amount'>, { before }: OfTotal): string {
  if (before === undefined) return unsigned(amount);
  return sumOf([before.amount, before.isLowered ? `-${unsigned(amount)}` : unsigned(amount)]);
}

/** In at least so many digits: a person may write 50 for 50.00. */
function minorOf(total: string, digits: number): { readonly minor: number; readonly digits: number } {
  const [whole = '', fraction = ''] = total.split('.');
  const shortest = fraction.slice(0, digits) + fraction.slice(digits).replace(/0+$/, '');
  const said = shortest.padEnd(digits, '0');
  return { minor: Number(whole + said), digits: said.length };
}

function valueOf(parts: readonly TotalPart[], total: ReturnType<typeof minorOf>): JsonValue {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && 'of' in first) return total[first.of];
  return parts.map((part) => ('of' in part ? String(total[part.of]) : part.text)).join('');
}

/** The same with what its attributes say of the total as its amount says. */
export function withTotalSaid(command: TransactionCommand): TransactionCommand {
  const { ofTotal, uniqueAttribute } = command;
  if (ofTotal === undefined) return command;
  const total = minorOf(totalOf(command, ofTotal), ofTotal.digits);
  const said = Object.entries(ofTotal.attributes).map(([name, parts]) => [name, valueOf(parts, total)] as const);
  const attributes: JsonObject = { ...command.attributes, ...Object.fromEntries(said) };
  const unique = uniqueAttribute === undefined ? undefined : attributes[uniqueAttribute.name];
  if (uniqueAttribute === undefined || typeof unique !== 'string') return { ...command, attributes };
  return { ...command, attributes, uniqueAttribute: { ...uniqueAttribute, value: unique } };
}

/** What a person has made of it: attributes that they left as they were go with the amount, others are what they say. */
export function withTotalLeft(before: PartnerCommand | null, after: PartnerCommand): PartnerCommand {
  if (after.operation !== 'transaction') return after;
  const { ofTotal: _said, ...own } = after;
  if (before?.operation !== 'transaction' || before.ofTotal === undefined) return own;
  const { ofTotal, attributes } = before;
  const left = Object.entries(ofTotal.attributes).filter(([name]) => isSame(attributes[name], own.attributes[name]));
  if (left.length === 0) return own;
  return withTotalSaid({ ...own, ofTotal: { ...ofTotal, attributes: Object.fromEntries(left) } });
}

const isSame = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other);
