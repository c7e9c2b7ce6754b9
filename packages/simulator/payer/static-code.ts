import type { SimulatedAccounts } from '../accounts.ts'
import type { ChargePaymentResult } from '../charges.ts'
import type { PixPayer, Receipts } from '../receipts.ts'
import type { CodeReading } from './payable-code.ts'

/** The fields of a static code. It contains the key itself; a bank finds the key's owner in DICT. */
type StaticCode = {
  key: string
  totalCents: number | null
  /** `***`: the code has none. */
  txid: string
  merchantName: string
  merchantCity: string
}

const OPEN_AMOUNT = { kind: 'not_payable', why: 'its amount is open' } as const
const UNKNOWN_KEY = { kind: 'not_payable', why: 'this code is not of the simulator' } as const

/** Reads a static code; one with an open amount cannot be paid on the payer's page. */
export function readStaticCode(
  accounts: SimulatedAccounts,
  { key, totalCents, txid, merchantName, merchantCity }: StaticCode,
): CodeReading {
  if (!accounts.findByKey(key)) return UNKNOWN_KEY
  if (totalCents === null) return OPEN_AMOUNT
  return {
    kind: 'payable',
    code: {
      receiver: merchantName,
      city: merchantCity,
      key,
      cents: totalCents,
      txid,
      message: null,
      expiresAt: null,
    },
  }
}

/**
 * Settles a PIX to the key of a static code; `cents`: another amount than the code's, which the rail does not refuse.
 */
export function payStaticCode(
  { accounts, receipts }: { accounts: SimulatedAccounts; receipts: Receipts },
  { key, totalCents, txid, cents, payer }: StaticCode & { cents: number | undefined; payer: PixPayer },
): ChargePaymentResult {
  const account = accounts.findByKey(key)
  const paidCents = cents ?? totalCents
  if (!account) return UNKNOWN_KEY
  if (paidCents === null) return OPEN_AMOUNT
  const receipt = receipts.receive({
    accountId: account.id,
    key,
    cents: paidCents,
    payer,
    txid: txid === '***' ? null : txid,
  })
  return { kind: 'paid', receipt }
}
