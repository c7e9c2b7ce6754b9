import type { SimulatedCharge } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import {
  listBacenRefunds,
  presentBacenCharge,
  presentBacenPayer,
  presentBacenReceivedPix,
  presentBacenRefund,
} from '../bacen/presenters.ts'
import type { BacenChargeView, BacenProfile } from '../bacen/profile.ts'
import { bacenChargeBody, bacenChargeChangeBody } from '../bacen/schemas.ts'
import { sicoobRefusals } from './errors.ts'

/** Sicoob's profile of the Central Bank's API (API PIX 2.0.23.28). */
export const SICOOB_PROFILE: BacenProfile = {
  bodies: { charge: bacenChargeBody, chargeChange: bacenChargeChangeBody },
  refusals: sicoobRefusals,
  presentCharge: presentSicoobCharge,
  presentListedCharge: (_, charge) => presentSicoobCharge(charge),
  presentReceivedPix: (_, receipt, refunds) => presentSicoobReceivedPix(receipt, refunds),
  presentRefund: (_, refund) => presentBacenRefund(refund, { hasNature: true }),
  changesRepeatedCharge: true,
  respondToWebhook: () => ({ status: 200 }),
  webhookListRange: 'optional',
}

/** Presents a charge: its code is `brcode`, and its location has code and txid ("CobGerada"). */
function presentSicoobCharge(charge: SimulatedCharge): BacenChargeView {
  const { pixCopiaECola: brcode, loc, ...others } = presentBacenCharge(charge)
  return { ...others, loc: { ...(loc as object), txid: charge.txid, brcode }, brcode }
}

/** Presents a received PIX in look-ups and notifications; its payer is required and not described (`Pix`). */
export function presentSicoobReceivedPix(receipt: Receipt, refunds: SimulatedRefund[]) {
  const pagador = presentBacenPayer(receipt)
  return { ...presentBacenReceivedPix(receipt), pagador, ...listBacenRefunds(refunds, { hasNature: true }) }
}
