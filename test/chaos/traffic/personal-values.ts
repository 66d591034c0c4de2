/** In every enrolment, and nowhere else: they must not be found in the clear. */
export const lastName = 'Zweistein';
export const mailDomain = '@chaos.example.org';
