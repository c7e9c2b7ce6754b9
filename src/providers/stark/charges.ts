import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  ProviderChargeRequest,
} from '../../domain/providers/provider.ts'
import type { ChargeCalls } from '../port.ts'
import type { StarkClient } from './client.ts'
import { createStarkDebits } from './debits.ts'
import { issueDueInvoice, reviseDueInvoices } from './due-invoices.ts'
import { cancelOwnInvoices, chargePaid, findInvoiceCharge, issueStarkInvoice } from './invoices.ts'
import { getExpiresAt, hasTag, mapStarkBrcode } from './mapping.ts'
import { findCodePayments, type StarkSubject } from './payments.ts'
import { oneCreatedStarkEntity, starkBrcodeRequestSchema, starkBrcodeSchema } from './schemas.ts'

type ChargeSubject = StarkSubject & { reference: string }

/**
 * Creates the calls about charges. One with a debtor or a due date is an invoice, any other a dynamic BR code; each is paid at most once, and has
 * our id as its tag. Stark Bank takes no id of ours for it, so that issuing twice makes two: their payments are both found by
 * our tag. A debit is an invoice and the requests to pull it.
 */
export function createStarkCharges(client: StarkClient, now: () => number): ChargeCalls {
  const debits = createStarkDebits(client)
  return {
    async issueCharge(order) {
      const { reference, totalCents, expiresInSeconds, debtor, due, debit } = order
      const shared = buildSharedFields(order)
      if (debit) return debits.issueDebit({ ...order, debit }, shared)
      if (due) return issueDueInvoice(client, { ...order, due }, shared)
      if (debtor) return issueStarkInvoice(client, order, { debtor, shared, now })
      const brcode = { ...shared, amount: totalCents, expiration: expiresInSeconds }
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

    async findCharge(reference, kind) {
      if (kind?.isDebit) return debits.findDebit(reference)
      const subject = { call: 'findCharge', reference } as const
      const outcome = await findBrcodeCharge(subject)
      return outcome.kind === 'not_found' ? findInvoiceCharge(client, subject) : outcome
    },

    async reviseCharge({ retryOn, ...revision }) {
      if (retryOn !== undefined) return debits.retryDebit(revision.reference, retryOn)
      return reviseDueInvoices(client, revision)
    },

    /** Stark Bank cancels invoices, and no dynamic BR code: one that has expired cannot be paid any more, any other stays payable. */
    async cancelCharge(reference, kind): Promise<CancelChargeOutcome> {
      if (kind?.isDebit) return debits.cancelDebit(reference)
      const subject = { call: 'cancelCharge', reference } as const
      const outcome = await findBrcodeCharge(subject)
      if (outcome.kind === 'not_found') return cancelOwnInvoices(client, subject)
      if (outcome.kind === 'no_answer') return outcome
      if (outcome.status === 'expired') return { kind: 'cancelled' }
      return outcome.status === 'completed' ? chargePaid : cancellationUnsupported
    },
  }

  /** Finds the codes with our tag, of which the oldest is shown, and the deposits that paid one of them. */
  async function findBrcodeCharge(subject: ChargeSubject): Promise<FindChargeOutcome> {
    const codes = await client.readAllPages({
      ...subject,
      path: '/v2/dynamic-brcode',
      filter: { tags: subject.reference },
      field: 'brcodes',
      row: starkBrcodeSchema,
      toItem: brcode => brcode,
      keyOf: brcode => brcode.uuid,
    })
    if (codes.kind === 'no_answer') return codes
    const ownCodes = codes.items
      .filter(brcode => hasTag(brcode, subject.reference))
      .toSorted((a, b) => a.created.localeCompare(b.created))
    const [oldestCode] = ownCodes
    if (!oldestCode) return codes.unreadableItems.length > 0 ? codeUnreadable : { kind: 'not_found' }
    const outcome = await findCodePayments(client, subject)
    if (outcome.kind === 'no_answer') return outcome
    const { payments } = outcome
    const isExpired = ownCodes.every(brcode => Date.parse(getExpiresAt(brcode)) <= now())
    const unpaidStatus = isExpired ? 'expired' : 'open'
    // A payment of another value is returned or kept as an unmatched one, and the code expires all the same.
    const isPaid = payments.some(({ cents }) => cents === oldestCode.amount || oldestCode.amount === 0)
    const status = isPaid ? 'completed' : unpaidStatus
    return { kind: 'found', status, charge: mapStarkBrcode(oldestCode), payments }
  }
}

/** Builds the fields that a code and an invoice share. */
function buildSharedFields({ reference, message, restriction }: ProviderChargeRequest) {
  return {
    tags: [reference],
    displayDescription: message?.slice(0, 140),
    // It compares whole documents: a restriction to the root of a CNPJ or to a kind is no lock here.
    ...(restriction?.document &&
      restriction.match === 'FULL' && {
        rules: [{ key: 'allowedTaxIds', value: [restriction.document] }],
      }),
  }
}

const codeUnreadable = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Stark Bank lists the charge, but it is unreadable',
} as const
const cancellationUnsupported = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'Stark Bank cancels no dynamic BR code: it can be paid until it expires',
} as const
