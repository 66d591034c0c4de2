const SUBJECT =
  '(?:wallet|pass|card|card ?holder|member|person|customer|unique[ _-]?id(?:entifier)?|identifier|record)';
const IS_ABSENT =
  '(?:not (?:be |been )?(?:found|located|issued|registered|enrolled|known)|(?:not|\\w*n.t) exist|unknown|no longer exists)';
const NO = '(?:no|no such|unknown|(?:not|cannot|\\w*n.t) (?:find|locate|have))';

/**
 * "Wallet pass not found", "No such member", "Could not find a pass for unique_id m_1". The subject is asked for: a
 * bare "Not Found" is what a web server says about a wrong path.
 */
export const NO_PASS_PATTERN =
  `\\b${SUBJECT}e?s?\\b.{0,80}\\b${IS_ABSENT}\\b` +
  `|\\b${NO} (?:an? |the |any )?(?:\\w+ ){0,2}${SUBJECT}e?s?\\b` +
  `|\\bnot found\\b.{0,40}\\b${SUBJECT}`;

/** "already exists", "receipt B07 has been used already", "must be unique". */
export const DUPLICATE_PATTERN =
  'duplicat|\\balready\\b|\\bin use\\b|\\b(?:not|n.t|must be|is non-?) ?unique\\b|\\bunique(?:ness)? (?:constraint|violation)|\\btaken\\b|\\bconflict';
