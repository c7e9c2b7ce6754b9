import type { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedResponse } from '../../provider-calls.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { bacenDueChargeBody } from './due-schemas.ts'
import type { BacenDueRefusals, BacenRefusals } from './refusals.ts'
import type { bacenChargeBody, bacenChargeChangeBody } from './schemas.ts'

type BacenChargeOrder = Omit<z.infer<typeof bacenChargeBody>, 'devedor'>
type BacenDueChargeOrder = z.infer<typeof bacenDueChargeBody>
type BacenChargeChange = Omit<z.infer<typeof bacenChargeChangeBody>, 'devedor'>

/** A bank's own choices in the Central Bank's Pix API: its bodies, its refusals and how it shows objects. */
export type BacenProfile = {
  bodies: {
    charge: z.ZodType<BacenChargeOrder>
    chargeChange: z.ZodType<BacenChargeChange>
    dueCharge: z.ZodType<BacenDueChargeOrder>
  }
  refusals: BacenRefusals
  /** Those of charges with a due date. */
  dueRefusals: BacenDueRefusals
  presentCharge(charge: SimulatedCharge): BacenChargeView
  /** Presents a charge in look-ups and lists. */
  presentListedCharge(account: SimulatedAccount, charge: SimulatedCharge): object
  presentDueCharge(account: SimulatedAccount, charge: SimulatedCharge): object
  presentListedDueCharge(account: SimulatedAccount, charge: SimulatedCharge): object
  presentReceivedPix(account: SimulatedAccount, receipt: Receipt, refunds: SimulatedRefund[]): object
  presentRefund(account: SimulatedAccount, refund: SimulatedRefund): object
  /**
   * True: a `PUT` of an active charge that exists changes it, as the violations that the Central Bank lists for `PUT` imply;
   * false: it is refused.
   */
  changesRepeatedCharge: boolean
  /** Builds the response that a webhook was registered. */
  respondToWebhook(webhookUrl: string): SimulatedResponse
  /** Whether the list of webhooks needs a range of time; null: the bank has no such list. */
  webhookListRange: 'required' | 'optional' | null
  /** Tells whether look-ups and lists show a received PIX, and it can be refunded; absent: each is. */
  isReceiptListed?(receipt: Receipt): boolean
  /** Name of the filter by txid in the list of received PIX; absent: `txid`. */
  txidParameter?: string
  /** Reads the key in the path of a webhook; absent: as it is. */
  readWebhookKey?(key: string): string
  /** Does what the bank's sandbox does after a charge was issued. */
  onChargeIssued?(account: SimulatedAccount, charge: SimulatedCharge): void
  /** Finds the outcome of a refund by its amount, as in the bank's sandbox; null if the amount decides nothing. */
  findRefundOutcome?(account: SimulatedAccount, cents: number): ScriptedOutcome | null
}

export type BacenChargeView = Record<string, unknown> & { pixCopiaECola?: string }
