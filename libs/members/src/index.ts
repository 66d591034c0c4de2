export { enrolmentAsUpdate, renewalOfAnswered, renewalOfFound } from './enrolment-as-update.js';
export { memberEventTypes } from './member-event-types.js';
