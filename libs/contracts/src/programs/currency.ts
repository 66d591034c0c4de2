import { z } from 'zod';

/**
 * Withdrawn codes (ISO 4217, list three): a currency that ends while its program lives must not keep the daemon from
 * starting, and refunds of it may come for months.
 */
const withdrawn = new Set(
  (
    'ADP AFA ALK ANG AOK AON AOR ARA ARP ARY ATS AYM AZM BAD BEC BEF BEL BGJ BGK BGL BGN BOP BRB BRC BRE BRN BRR BUK ' +
    'BYB BYR CHC CSD CSJ CSK CUC CYP DDM DEM ECS ECV EEK ESA ESB ESP FIM FRF GEK GHC GHP GNE GNS GQE GRD GWE GWP HRD ' +
    'HRK IEP ILP ILR ISJ ITL LAJ LSM LTL LTT LUC LUF LUL LVL LVR MGF MLF MRO MTL MTP MVQ MXP MZE MZM NIC NLG PEH PEI ' +
    'PES PLZ PTE RHD ROK ROL RUR SDD SDP SIT SKK SLL SRG STD SUR TJR TMM TPE TRL UAK UGS UGW USS UYN UYP VEB VEF VNC ' +
    'XEU XFO XFU XRE YDD YUD YUM YUN ZAL ZMK ZRN ZRZ ZWC ZWD ZWL ZWN ZWR'
  ).split(' '),
);

const inUse = z.currencyCode();

/** Whether ISO 4217 has or had such a currency. */
export function isCurrencyCode(code: string): boolean {
  return withdrawn.has(code) || inUse.safeParse(code).success;
}

export const currencyCodeSchema = z.string().refine(isCurrencyCode, 'must be an ISO 4217 currency code');
