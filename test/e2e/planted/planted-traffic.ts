import type { Emission } from '../traffic.js';
import { emission, purchased } from '../traffic.js';
import { memberId, personal } from './planted-values.js';

const { firstName, lastName, email, phone, birthDate, ipAddress, message, metaKey, metaValue } = personal;
const person = { firstName, lastName, email, phone, birthDate, nickname: personal.unknownField };

const content = {
  ...{ person, message, ipAddress, extra: personal.unknownField },
  metaData: { [metaKey]: metaValue },
  pass: { points: 1, profileImage: personal.profileImage },
};

/** An enrolment that says everything about a person. */
export function enrolledWithAll(name: string, id = `e-${name}`): Emission {
  return emission('members', 'member.enrolled', { id, memberId: memberId(name), ...content });
}

function purchase(name: string, purchaseId: string): Emission {
  return purchased(memberId(name), purchaseId);
}

/** The same record with other text in place of its event's, or of a part of it. */
function spoilt({ topic, message: sent }: Emission, spoil: (text: string) => string): Emission {
  const headers = { ...sent.headers, 'x-note': `${email} ${phone}` };
  return { topic, message: { ...sent, headers, value: spoil(String(sent.value)) } };
}

function enrolledOddly(name: string, more: Readonly<Record<string, unknown>>): Emission {
  return emission('members', 'member.enrolled', { id: `e-${name}`, memberId: memberId(name), ...content, ...more });
}

/** Records that nothing can be made of, each for another reason, full of values. */
export function badRecords(): Emission[] {
  const whole = (name: string): Emission => enrolledWithAll(name);
  return [
    spoilt(whole('cut'), (text) => text.slice(0, -20)),
    spoilt(whole('latin'), (text) => `${firstName} ${email} ${text}`),
    spoilt(whole('type'), (text) => text.replace('member.enrolled', `member.${email}`)),
    spoilt(whole('version'), (text) => text.replace('enrolled.v1', 'enrolled.v9')),
    spoilt(whole('when'), (text) => text.replace('2026-11-20T10:00:00Z', email)),
    spoilt(whole('spec'), (text) => text.replace('"1.0"', `"${phone}"`)),
    enrolledOddly('person', { person: `${firstName} ${lastName} ${email}` }),
    enrolledOddly('email', { person: { email: { [email]: phone } } }),
    enrolledOddly('sms', { smsSubscription: email }),
    enrolledOddly('meta', { metaData: email }),
    enrolledOddly('clash', { metaData: { memberId: email } }),
    enrolledOddly('program', { program: email }),
    enrolledOddly('tier', { tier: firstName }),
    emission('members', 'member.updated', { id: 'u-odd', memberId: memberId('ok'), changed: [email], ...content }),
    // The same event once more, saying something else.
    spoilt(enrolledWithAll('ok'), (text) => text.replace(lastName, `${lastName}-${lastName}`)),
  ];
}

/** Members whose enrolments end differently; see the partner. `database` is refused by a trigger that quotes its row. */
const enrolments = ['ok', 'refused', 'garbage', 'timeout', 'gone', 'database'];

const purchases = ['P-fine', 'P-refused', 'P-broken', 'P-moved', 'P-garbage', 'P-half', 'P-timeout', 'P-odd'];

export function goodRecords(): Emission[] {
  const update = { id: 'u-1', memberId: memberId('ok'), changed: ['person.email', 'message'], ...content };
  return [
    ...enrolments.map((name) => enrolledWithAll(name)),
    emission('members', 'member.updated', update),
    ...purchases.map((id) => purchase('ok', id)),
    emission('members', 'member.opted-out', { id: 'o-1', memberId: memberId('gone'), scope: 'program', erase: true }),
  ];
}
