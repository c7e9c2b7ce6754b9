import type { SimulatorState } from '../../state.ts'
import { presentBacenCharge, presentBacenRefund } from '../bacen/presenters.ts'
import type { BacenProfile } from '../bacen/profile.ts'
import { presentBacenRecurrence } from '../bacen/recurrence-presenters.ts'
import type { BacenRecurrenceProfile } from '../bacen/recurrence-profile.ts'
import { buildBacenRecurrenceBodies } from '../bacen/recurrence-schemas.ts'
import { efiDueRefusals, efiRecurrenceRefusals, efiRefusals } from './errors.ts'
import {
  presentEfiDueCharge,
  presentEfiReceivedPix,
  presentEfiTry,
  presentListedEfiDueCharge,
  selectListedFields,
} from './presenters.ts'
import { efiChargeBody, efiChargeChangeBody, efiDueChargeBody } from './schemas.ts'

/** Efí's sandbox itself pays charges up to this amount (docs, "Cobranças imediatas"). */
const MAX_MAGIC_PAID_CENTS = 1_000
/** Efí's sandbox rejects a devolução of this amount by notification (docs, "Solicitar devolução"). */
const MAGIC_REJECTED_CENTS = 1

/** Creates Efí's profile of the Central Bank's API. */
export function createEfiProfile({ payerBank, log }: SimulatorState): BacenProfile {
  return {
    bodies: { charge: efiChargeBody, chargeChange: efiChargeChangeBody, dueCharge: efiDueChargeBody },
    refusals: efiRefusals,
    dueRefusals: efiDueRefusals,
    presentCharge: presentBacenCharge,
    // The SDK makes the payload optional in look-ups: a charge that is over has none.
    presentListedCharge: (account, charge) => {
      const { pixCopiaECola, ...others } = presentBacenCharge(charge)
      const hasPayload = charge.status === 'active' || selectListedFields(account).unpublished
      return hasPayload && pixCopiaECola !== undefined ? { ...others, pixCopiaECola } : others
    },
    presentDueCharge: presentEfiDueCharge,
    presentListedDueCharge: presentListedEfiDueCharge,
    presentReceivedPix: (account, receipt, refunds) =>
      presentEfiReceivedPix(receipt, refunds, selectListedFields(account)),
    presentRefund: (account, refund) =>
      presentBacenRefund(refund, { hasNature: selectListedFields(account).unpublished }),
    changesRepeatedCharge: false,
    respondToWebhook: webhookUrl => ({ status: 201, body: { webhookUrl } }),
    webhookListRange: 'required',
    onChargeIssued: (account, charge) => {
      if (!account.amountMagic || charge.cents > MAX_MAGIC_PAID_CENTS) return
      payerBank
        .pay({ payload: charge.payload, force: false })
        .catch(error => log.error({ err: error }, 'a charge of a magic amount could not be paid'))
    },
    findRefundOutcome: ({ amountMagic }, cents) =>
      amountMagic && cents === MAGIC_REJECTED_CENTS
        ? { kind: 'rejected', code: 'Devolução rejeitada' }
        : null,
  }
}

/** Efí's profile of recurrences: bodies and answers have the fields of its official SDK. */
export const EFI_RECURRENCE_PROFILE: BacenRecurrenceProfile = {
  bodies: buildBacenRecurrenceBodies({ isStrict: true }),
  refusals: efiRecurrenceRefusals,
  presentRequested: presentBacenRecurrence,
  presentTry: presentEfiTry,
  presentRefund: (account, refund) =>
    presentBacenRefund(refund, { hasNature: selectListedFields(account).unpublished }),
}
