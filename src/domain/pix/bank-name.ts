import { getBankByIspb } from '@brazilian-utils/brazilian-utils/get-bank-by-ispb'
import type { Party } from '../providers/provider.ts'
import { isIspb } from './ispb.ts'

/**
 * Names the institution of a party: as its provider does, else by the ISPB in the list of institutions with a COMPE code
 * (ParticipantesSTR.csv, as `@brazilian-utils/brazilian-utils` publishes it), else by the ISPB alone. Empty where neither is known.
 */
export function nameBank({ name, ispb }: Party['bank']): string {
  if (name) return name
  const bank = isIspb(ispb) ? getBankByIspb(ispb) : null
  return bank?.name ?? ispb
}
