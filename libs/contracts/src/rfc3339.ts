const hourMinute = '([01]\\d|2[0-3]):([0-5]\\d)';
const rfc3339 = new RegExp(
  `^(\\d{4})-(0[1-9]|1[0-2])-(\\d\\d)[Tt]${hourMinute}:([0-5]\\d|60)(?:\\.(\\d{1,9}))?(?:[Zz]|([+-])${hourMinute})$`,
);

/**
 * RFC 3339 `date-time` to epoch milliseconds (finer digits cut off, a leap second counts as the next), else `null`. Years
 * below 100 come out as 19xx: for events both are refused.
 */
export function parseRfc3339(text: string): number | null {
  const match = rfc3339.exec(text);
  if (match === null) return null;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  if (day < 1 || day > daysInMonth(year, month)) return null;
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offsetMs = (part(9) * 60 + part(10)) * 60_000 * (match[8] === '-' ? -1 : 1);
  return Date.UTC(year, month - 1, day, part(4), part(5), part(6), milliseconds) - offsetMs;
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
