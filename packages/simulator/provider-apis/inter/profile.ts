import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge, SimulatedCharges } from '../../charges.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRecurring } from '../../recurrences/recurring.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import { presentBacenComponents, presentBacenDueCharge } from '../bacen/due-presenters.ts'
import { bacenDueChargeBody } from '../bacen/due-schemas.ts'
import {
  listBacenRefunds,
  presentBacenCharge,
  presentBacenReceivedPix,
  presentBacenRefund,
} from '../bacen/presenters.ts'
import type { BacenChargeView, BacenProfile } from '../bacen/profile.ts'
import { presentChargeTry, presentRecurrencePayload } from '../bacen/recurrence-presenters.ts'
import type { BacenRecurrenceProfile } from '../bacen/recurrence-profile.ts'
import { createBacenRecurrenceRefusals } from '../bacen/recurrence-refusals.ts'
import { buildBacenRecurrenceBodies } from '../bacen/recurrence-schemas.ts'
import { createBacenDueRefusals } from '../bacen/refusals.ts'
import { bacenChargeBody, bacenChargeChangeBody } from '../bacen/schemas.ts'
import { interRefusals } from './errors.ts'

/** Creates Inter's profile of the Central Bank's API (API Inter Empresas, "API Pix"). */
export function createInterProfile({
  charges,
  recurring,
}: {
  charges: SimulatedCharges
  recurring: SimulatedRecurring
}): BacenProfile {
  return {
    bodies: { charge: bacenChargeBody, chargeChange: bacenChargeChangeBody, dueCharge: bacenDueChargeBody },
    refusals: interRefusals,
    dueRefusals: createBacenDueRefusals(),
    presentCharge: presentInterCharge,
    // "CobsConsultadas" requires an `idCob`, which it does not describe.
    presentListedCharge: (_, charge) => ({ ...presentInterCharge(charge), idCob: charge.token }),
    presentDueCharge: presentInterDueCharge,
    presentListedDueCharge: presentInterDueCharge,
    presentReceivedPix: (_, receipt, refunds) => presentInterReceivedPix(receipt, refunds),
    presentRefund: (_, refund) => presentBacenRefund(refund, { hasNature: false }),
    changesRepeatedCharge: true,
    respondToWebhook: () => ({ status: 204 }),
    webhookListRange: null,
    // "As transações de Pix retornadas nas consultas são recebimentos que tiveram origem de um Pix Cobrança."
    isReceiptListed: ({ accountId, txid }) =>
      txid !== null &&
      (charges.find(accountId, txid) ?? recurring.charges.find(accountId, txid)) !== undefined,
    txidParameter: 'txId',
    // "Em caso de chave telefone, não informar o caractere +."
    readWebhookKey: key => (/^\d{12,13}$/.test(key) ? `+${key}` : key),
  }
}

/** Inter's profile of recurrences, which it describes as the Central Bank does. */
export const INTER_RECURRENCE_PROFILE: BacenRecurrenceProfile = {
  bodies: buildBacenRecurrenceBodies({ isStrict: false }),
  refusals: createBacenRecurrenceRefusals(),
  presentRequested: presentRecurrencePayload,
  presentTry: (_, chargeTry) => presentChargeTry(chargeTry, { hasCode: true }),
  presentRefund: (_, refund) => presentBacenRefund(refund, { hasNature: false }),
}

/** Presents a charge; its location has the txid ("CobGerada"). */
function presentInterCharge(charge: SimulatedCharge): BacenChargeView {
  const { loc, ...others } = presentBacenCharge(charge)
  return { ...others, loc: { ...(loc as object), txid: charge.txid } }
}

function presentInterDueCharge(account: SimulatedAccount, charge: SimulatedCharge): BacenChargeView {
  const { loc, ...others }: BacenChargeView = presentBacenDueCharge(account, charge)
  return { ...others, loc: { ...(loc as object), txid: charge.txid } }
}

/** Presents a received PIX in look-ups and notifications, with its payer as the notification's schema has it. */
export function presentInterReceivedPix(receipt: Receipt, refunds: SimulatedRefund[]) {
  const pagador = { nome: receipt.payerName, cpfCnpj: maskPayerDocument(receipt.payerDocument) }
  return {
    ...presentBacenReceivedPix(receipt),
    ...presentBacenComponents(receipt),
    pagador,
    ...listBacenRefunds(refunds, { hasNature: false }),
  }
}

/** Masks a CPF as in the description of `pagador`: `***853226**`. */
function maskPayerDocument(document: string): string {
  return document.length === 11 ? `***${document.slice(3, 9)}**` : document
}
