import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import { presentBacenComponents, presentBacenDueCharge } from '../bacen/due-presenters.ts'
import { bacenDueChargeBody } from '../bacen/due-schemas.ts'
import {
  listBacenRefunds,
  presentBacenCharge,
  presentBacenPayer,
  presentBacenReceivedPix,
  presentBacenRefund,
} from '../bacen/presenters.ts'
import type { BacenChargeView, BacenProfile } from '../bacen/profile.ts'
import { bacenChargeBody, bacenChargeChangeBody } from '../bacen/schemas.ts'
import { sicoobDueRefusals, sicoobRefusals } from './errors.ts'

/** Sicoob's profile of the Central Bank's API (API PIX 2.0.23.28). */
export const SICOOB_PROFILE: BacenProfile = {
  bodies: { charge: bacenChargeBody, chargeChange: bacenChargeChangeBody, dueCharge: bacenDueChargeBody },
  refusals: sicoobRefusals,
  dueRefusals: sicoobDueRefusals,
  presentCharge: presentSicoobCharge,
  presentListedCharge: (_, charge) => presentSicoobCharge(charge),
  presentDueCharge: presentSicoobDueCharge,
  presentListedDueCharge: presentSicoobDueCharge,
  presentReceivedPix: (_, receipt, refunds) => presentSicoobReceivedPix(receipt, refunds),
  presentRefund: (_, refund) => presentBacenRefund(refund, { hasNature: true }),
  changesRepeatedCharge: true,
  respondToWebhook: () => ({ status: 200 }),
  webhookListRange: 'optional',
}

/** Presents a charge: its code is `brcode`, and its location has code and txid ("CobGerada"). */
function presentSicoobCharge(charge: SimulatedCharge): BacenChargeView {
  return renameCode(charge, presentBacenCharge(charge))
}

function presentSicoobDueCharge(account: SimulatedAccount, charge: SimulatedCharge): BacenChargeView {
  return renameCode(charge, presentBacenDueCharge(account, charge))
}

function renameCode({ txid }: SimulatedCharge, { pixCopiaECola: brcode, loc, ...others }: BacenChargeView) {
  return { ...others, loc: { ...(loc as object), txid, brcode }, brcode }
}

/** Presents a received PIX in look-ups and notifications; its payer is required and not described (`Pix`). */
export function presentSicoobReceivedPix(receipt: Receipt, refunds: SimulatedRefund[]) {
  const pagador = presentBacenPayer(receipt)
  return {
    ...presentBacenReceivedPix(receipt),
    ...presentBacenComponents(receipt),
    pagador,
    ...listBacenRefunds(refunds, { hasNature: true }),
  }
}
