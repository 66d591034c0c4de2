/** What the daemon writes for what is personal. */
export const mask = '•••';

export const isMasked = (text: string): boolean => text.includes(mask);
