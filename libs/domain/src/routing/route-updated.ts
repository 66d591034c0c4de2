import type { Mapped } from './attribute-mapping.js';
import { changedValue, type ChangedField, fieldsOf, type Updated, valuesOf } from './changed-content.js';
import { compact } from './data-path.js';
import type { JsonObject, JsonValue, PassContent } from './partner-command.js';
import { identifiedMetaData, metaDataClash, smsSubscriptionOf, tierIdOf } from './pass-content.js';
import type { RouteResult, RoutedIntent } from './route-result.js';
import { updateCommand } from './route-update.js';
import { ignored, intentOf, quarantine, routed, type Routing } from './routing.js';

/** An update sends the changed paths and nothing else; what the program does not send is ignored, visibly. */
export function routeUpdated(routing: Routing<Updated>): RouteResult {
  const { event, program } = routing;
  if (event.data.changed.length === 0) return ignored('nothing-changed');
  if (program.update.via === 'none') return ignored('not-mapped');
  const fields = event.data.changed.flatMap((changed) => fieldsOf(changed, event, program));
  if (fields.length === 0) return ignored('not-mapped');
  return routeFields(routing, fields);
}

type ChangedValue = ChangedField & { readonly value: JsonValue };

function routeFields(routing: Routing<Updated>, fields: readonly ChangedField[]): RouteResult {
  const { event, program, memberId } = routing;
  const values = readValues(fields, event.data);
  if (!values.ok) return quarantine('invalid', values.detail);
  const root = valuesOf(values.value, 'root') ?? {};
  const tierId = typeof root['tier'] === 'string' ? tierIdOf(program, root['tier']) : undefined;
  if (tierId === null) return quarantine('unroutable', "data.tier: not one of the program's tiers");
  const metaData = valuesOf(values.value, 'metaData') ?? {};
  if (identifiedMetaData({ metaData, program, memberId }) === null) {
    return quarantine('invalid', metaDataClash(program));
  }
  const content = { ...passContent(values.value), ...rootContent(event, root) };
  return routed(commandsOf(routing, tierId === undefined ? content : { ...content, tierId }));
}

function readValues(fields: readonly ChangedField[], data: object): Mapped<readonly ChangedValue[]> {
  const values: ChangedValue[] = [];
  for (const field of fields) {
    const changed = changedValue(field, data);
    if (!changed.ok) return changed;
    values.push({ ...field, value: changed.value });
  }
  return { ok: true, value: values };
}

function passContent(values: readonly ChangedValue[]): PassContent {
  const metaData = valuesOf(values, 'metaData');
  const passdata = valuesOf(values, 'passdata');
  return compact<PassContent>({
    person: valuesOf(values, 'person'),
    passdata: metaData === undefined ? passdata : { ...passdata, metaData },
  });
}

function commandsOf(routing: Routing<Updated>, content: PassContent): RoutedIntent[] {
  const command = updateCommand(routing, content);
  return command === null ? [] : [intentOf(routing, command)];
}

/** `null` clears; a field that is not in `root` did not change. */
function rootContent({ data }: Updated, root: JsonObject): PassContent {
  const sms = data.smsSubscription ? smsSubscriptionOf(data.smsSubscription) : null;
  return {
    ...('tier' in root ? { tierId: null } : {}),
    ...('message' in root ? { message: data.message ?? null } : {}),
    ...('groupId' in root ? { groupId: data.groupId ?? null } : {}),
    ...('smsSubscription' in root ? { smsSubscription: sms } : {}),
  };
}
