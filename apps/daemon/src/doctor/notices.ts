import type { NoticesEnvironment } from '#contracts';
import type { Undelivered } from '#operations';
import { NoticeRepository } from '#operations';
import type { AddressProbe } from '#platform';
import { probeAddress } from '#platform';

import type { Given } from './checks.js';
import { connectMs } from './checks.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, warning } from './finding.js';

const addressName = 'notices.address';
const deliveryName = 'notices.delivery';
const probeMs = connectMs - 500;
const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export const noticesRemedy =
  'Nobody is told meanwhile; nothing else waits for it. Check NOTICE_*, and that this machine reaches the address; then ' +
  '`loyaltyd notices test` sends a trial.';

/** Where notices go, by channel. */
function placesOf({ webhook, mail, ca }: NoticesEnvironment): ReadonlyMap<string, AddressProbe> {
  const tls = ca === null ? {} : { ca: ca.value };
  const places = new Map<string, AddressProbe>();
  if (webhook !== null) {
    const { protocol, hostname, port } = new URL(webhook.url.value);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const place = { host, port: port === '' ? (ports[protocol] ?? 0) : Number(port), timeoutMs: probeMs };
    places.set('webhook', { ...place, tls: protocol === 'https:' ? tls : null });
  }
  if (mail !== null) {
    const { host, port, isTls } = mail.relay;
    places.set('mail', { host, port, timeoutMs: probeMs, tls: isTls ? tls : null });
  }
  return places;
}

async function examine(channel: string, place: AddressProbe): Promise<Finding> {
  const name = `${addressName}.${channel}`;
  const finding = await probeAddress(place);
  const at = `${place.host}:${place.port}`;
  if (finding.kind === 'open') return ok(name, `${at} takes connections`);
  return failed(name, { detail: `${at} cannot be reached (${finding.code})`, remedy: noticesRemedy });
}

/** Whether those can be reached who are told. Nothing is sent to them. */
export async function checkNoticeAddresses({ environment: { notices } }: Given): Promise<readonly Finding[]> {
  if (notices === null) return [];
  return Promise.all([...placesOf(notices)].map(([channel, place]) => examine(channel, place)));
}

function judgeUndelivered({ channel, notices, since, isGivenUp, problem }: Undelivered, now: number): Finding {
  const ago = durationText(Math.max(0, now - since));
  const trouble = {
    detail: `the ${channel} has not taken what it was sent for ${ago} (${notices}, ${problem})`,
    remedy: noticesRemedy,
  };
  return (isGivenUp ? failed : warning)(`${deliveryName}.${channel}`, trouble);
}

/** Whether the last notices were taken. */
export async function checkNoticeDeliveries(given: Given<'store'>): Promise<readonly Finding[]> {
  const { notices } = given.environment;
  if (notices === null) return [];
  const { database, now } = given.store;
  const undelivered = (await new NoticeRepository(database).findUndelivered()).filter(
    ({ channel }) => notices[channel] !== null,
  );
  if (undelivered.length === 0) return [ok(deliveryName, 'none is undelivered')];
  return undelivered.map((each) => judgeUndelivered(each, now()));
}
