import type { CancelChargeOutcome, FindChargeOutcome } from '../../domain/providers/provider.ts'
import { reportPaymentNotListed } from '../adapter/outcomes.ts'
import type { ChargeCalls } from '../port.ts'
import type { StarkCall } from './answers.ts'
import type { StarkClient } from './client.ts'
import { getExpiresAt, hasTag, mapStarkBrcode, toBrcodeTag } from './mapping.ts'
import { mapStarkPayments } from './payments.ts'
import {
  oneCreatedStarkEntity,
  starkBrcodeRequestSchema,
  starkBrcodeSchema,
  starkDepositSchema,
} from './schemas.ts'

/**
 * Creates the calls about charges. A charge is a dynamic BR code, which is paid at most once and whose tags its deposit has. Stark
 * Bank takes no id of ours for it, so that issuing twice makes two codes: their payments are both found by our tag.
 */
export function createStarkCharges(client: StarkClient, now: () => number): ChargeCalls {
  return {
    async issueCharge({ reference, totalCents, expiresInSeconds, message, restriction }) {
      const brcode = {
        amount: totalCents,
        expiration: expiresInSeconds,
        tags: [reference],
        displayDescription: message?.slice(0, 140),
        // It compares whole documents: a restriction to the root of a CNPJ or to a kind is no lock here.
        ...(restriction?.document &&
          restriction.match === 'FULL' && {
            rules: [{ key: 'allowedTaxIds', value: [restriction.document] }],
          }),
      }
      const json = starkBrcodeRequestSchema.parse({ brcodes: [brcode] })
      const call = {
        call: 'issueCharge',
        reference,
        method: 'POST',
        path: '/v2/dynamic-brcode',
        json,
      } as const
      return client.send(call, oneCreatedStarkEntity('brcodes', starkBrcodeSchema), created => {
        const isOrdered = created.amount === totalCents && hasTag(created, reference)
        return isOrdered ? { charge: mapStarkBrcode(created) } : undefined
      })
    },

    findCharge: reference => findCharge('findCharge', reference),

    /** Stark Bank cancels no dynamic BR code: one that has expired cannot be paid any more, any other stays payable. */
    async cancelCharge(reference): Promise<CancelChargeOutcome> {
      const outcome = await findCharge('cancelCharge', reference)
      if (outcome.kind !== 'found') return outcome
      if (outcome.status === 'expired') return { kind: 'cancelled' }
      return outcome.status === 'completed' ? alreadyPaid : cancellationUnsupported
    },
  }

  /** Finds the codes with our tag, of which the oldest is shown, and the deposits that paid one of them. */
  async function findCharge(call: StarkCall, reference: string): Promise<FindChargeOutcome> {
    const listOf = <const Path extends string>(path: Path) => ({
      call,
      reference,
      path,
      filter: { tags: reference },
    })
    const codes = await client.readAllPages({
      ...listOf('/v2/dynamic-brcode'),
      field: 'brcodes',
      row: starkBrcodeSchema,
      toItem: brcode => brcode,
      keyOf: brcode => brcode.uuid,
    })
    if (codes.kind === 'no_answer') return codes
    const ownCodes = codes.items
      .filter(brcode => hasTag(brcode, reference))
      .toSorted((a, b) => a.created.localeCompare(b.created))
    const [oldestCode] = ownCodes
    if (!oldestCode) return codes.unreadableItems.length > 0 ? codeUnreadable : { kind: 'not_found' }
    const deposits = await client.readAllPages({
      ...listOf('/v2/deposit'),
      field: 'deposits',
      row: starkDepositSchema,
      toItem: deposit => deposit,
      keyOf: deposit => deposit.id,
    })
    if (deposits.kind === 'no_answer') return deposits
    if (deposits.unreadableItems.length > 0) return reportPaymentNotListed('Stark Bank')
    const codeTags = ownCodes.map(({ uuid }) => toBrcodeTag(uuid))
    const paid = deposits.items.filter(({ tags }) => tags.some(tag => codeTags.includes(tag)))
    const outcome = await mapStarkPayments(client, { call, reference }, paid)
    if (outcome.kind === 'no_answer') return outcome
    const { payments } = outcome
    const isExpired = ownCodes.every(brcode => Date.parse(getExpiresAt(brcode)) <= now())
    const unpaidStatus = isExpired ? 'expired' : 'open'
    const status = payments.length > 0 ? 'completed' : unpaidStatus
    return { kind: 'found', status, charge: mapStarkBrcode(oldestCode), payments }
  }
}

const codeUnreadable = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Stark Bank lists the charge, but it is unreadable',
} as const
const alreadyPaid = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'The charge is paid',
} as const
const cancellationUnsupported = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'Stark Bank cancels no dynamic BR code: it can be paid until it expires',
} as const
