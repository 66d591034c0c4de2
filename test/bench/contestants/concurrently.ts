/**
 * Calls `work` for every member and rank, `concurrency` at once; each member's ranks in order.
 * @returns how many calls were made
 */
export const concurrently = async (
  sizes: { readonly members: number; readonly intentsPerMember: number; readonly concurrency: number },
  work: (member: number, rank: number) => Promise<void>,
): Promise<number> => {
  const { members, intentsPerMember, concurrency } = sizes;
  const lane = async (first: number): Promise<void> => {
    for (let rank = 1; rank <= intentsPerMember; rank += 1) {
      for (let member = first; member < members; member += concurrency) await work(member, rank);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, first) => lane(first)));
  return members * intentsPerMember;
};
