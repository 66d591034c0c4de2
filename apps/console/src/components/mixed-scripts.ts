/** What is said beside an id that mixes scripts. */
export const mixedScriptsWords = 'Latin letters beside Cyrillic or Greek ones: perhaps another id than it seems';
