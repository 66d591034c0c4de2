/** Such as `12 delivered, 3 parked`; nothing where there is none. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/** How many there are of several kinds together. */
export function countOf(counts: Readonly<Record<string, number>>, kinds: readonly string[]): number {
  return kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}
