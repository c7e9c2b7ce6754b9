import { sumPaidParts } from '../../domain/charges/due-payment.ts'
import type { PaidParts } from '../../domain/charges/due-terms.ts'
import { uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { Party } from '../../domain/pix/party.ts'
import type { IncomingPix, IssuedCharge, ProviderPayout } from '../../domain/providers/provider.ts'
import { toPayoutRejection } from '../adapter/outcomes.ts'
import { toParty } from '../adapter/party.ts'
import type {
  StarkBrcode,
  StarkDeposit,
  StarkDictKey,
  StarkInvoice,
  StarkInvoicePayment,
  StarkTransaction,
  StarkTransfer,
} from './schemas.ts'

// Stark Bank reports no end-to-end id of deposits and transfers. Its own name of the entity, as the `source` of its
// transactions has it, stands in for it: `deposit/5656565656565656`, `transfer/5656565656565656`, and for a reversal
// `transaction/5656565656565656`. The payment of an invoice has an end-to-end id, by which nothing can be looked up: its name
// is that of the invoice, followed by the id.

/** A received PIX by the entity that Stark Bank keeps it as. A reversal is a change of that entity. */
export type ReceivedEntity = { kind: 'deposit' | 'invoice'; id: string }

export const toDepositName = (id: string): string => `deposit/${id}`
/** Names an invoice, by which its payment is found. */
export const toInvoiceName = (id: string): string => `invoice/${id}`
/** Names the payment of an invoice. */
export const toInvoicePaymentName = (id: string, endToEndId: string): string => `invoice/${id}/${endToEndId}`
export const toTransferName = (id: string): string => `transfer/${id}`
export const toTransactionName = (id: string): string => `transaction/${id}`

/** Parses the name of a received PIX; undefined for any other id. */
export function parseReceivedName(name: string): ReceivedEntity | undefined {
  const [, kind, id] = /^(deposit|invoice)\/(\d+)(?:\/E[0-9A-Za-z]{31})?$/.exec(name) ?? []
  return kind && id ? { kind: kind as ReceivedEntity['kind'], id } : undefined
}

/** Lists the uuids of the codes that a deposit has paid, by its tags: one at most, unless its payer wrote more. */
function listCodeUuids({ tags }: { tags: string[] }): string[] {
  return tags.flatMap(tag => /^dynamic-brcode\/(.+)$/i.exec(tag)?.[1]?.toLowerCase() ?? [])
}

/** Tells whether a deposit has paid a dynamic code: its charge is that of our tag. */
export function isOfCode(deposit: { tags: string[] }): boolean {
  return listCodeUuids(deposit).length > 0
}

/** Maps a dynamic BR code. Stark Bank reports no txid: the code's uuid, by which its deposit is known, stands in for it. */
export function mapStarkBrcode(brcode: StarkBrcode): IssuedCharge {
  return {
    totalCents: brcode.amount,
    txid: brcode.uuid,
    payload: brcode.id,
    expiresAt: getExpiresAt(brcode),
    pixKey: '',
    receiver: toParty({}),
  }
}

/** "In order to check if a BR code has expired, you must […] add the expiration to the creation date." */
export function getExpiresAt({ created, expiration }: StarkBrcode): string {
  return new Date(Date.parse(created) + expiration * 1_000).toISOString()
}

/**
 * Maps a deposit. `credit`: its first transaction, which has its original value; undefined while Stark Bank has not credited it.
 * Our id is taken from the tags of a paid code only: those of any other deposit are its payer's.
 */
export function mapStarkDeposit(deposit: StarkDeposit, credit: StarkTransaction | undefined): IncomingPix {
  const [codeUuid] = listCodeUuids(deposit)
  return {
    endToEnd: toDepositName(deposit.id),
    txid: codeUuid ?? null,
    reference: codeUuid === undefined ? null : getReference(deposit),
    cents: credit?.amount ?? deposit.amount,
    status: credit ? 'settled' : 'in_process',
    at: credit?.created ?? deposit.created,
    payer: mapOtherSide(deposit),
    pixKey: '',
  }
}

/** Returns what an invoice was issued for: its `amount` falls with each refund, and has a fine, interest and discount in it. */
export function getNominalCents({ nominalAmount, amount }: StarkInvoice): number {
  return nominalAmount ?? amount
}

/** Maps an invoice. Stark Bank reports no txid: the invoice's id stands in for it. */
export function mapStarkInvoice(invoice: StarkInvoice): IssuedCharge {
  return {
    // That of a paid one is what its reversals have left.
    ...(invoice.status !== 'paid' && { totalCents: getNominalCents(invoice) }),
    txid: invoice.id,
    payload: invoice.brcode,
    expiresAt: new Date(Date.parse(invoice.due) + invoice.expiration * 1_000).toISOString(),
    pixKey: '',
    receiver: toParty({}),
  }
}

/** An invoice that is paid, with how it was paid and its first transaction, which is undefined until it is credited. */
export type PaidInvoice = {
  invoice: StarkInvoice
  payment: StarkInvoicePayment & { endToEndId: string }
  credit: StarkTransaction | undefined
}

/** Maps the payment of an invoice. */
export function mapStarkInvoicePayment({ invoice, payment, credit }: PaidInvoice): IncomingPix {
  return {
    endToEnd: toInvoicePaymentName(invoice.id, payment.endToEndId),
    txid: invoice.id,
    reference: getReference(invoice),
    cents: payment.amount,
    status: credit ? 'settled' : 'in_process',
    at: credit?.created ?? invoice.updated ?? invoice.created,
    payer: mapOtherSide(payment),
    pixKey: '',
    ...readPaidParts(invoice, payment.amount),
  }
}

/**
 * Reads what the payment of an invoice consists of, where it has a fine, interest or discounts, and its amounts are together what was
 * paid.
 */
function readPaidParts(invoice: StarkInvoice, cents: number): { parts?: PaidParts } {
  const { nominalAmount, fineAmount, interestAmount, discountAmount } = invoice
  const hasRates = Boolean(invoice.fine || invoice.interest || invoice.discounts?.length)
  if (nominalAmount == null || fineAmount == null || interestAmount == null || discountAmount == null)
    return {}
  const parts = {
    originalCents: nominalAmount,
    fineCents: fineAmount,
    interestCents: interestAmount,
    discountCents: discountAmount,
    abatementCents: 0,
  }
  return hasRates && sumPaidParts(parts) === cents ? { parts } : {}
}

/** Gets our id from the tags of an entity. */
export function getReference({ tags }: { tags: string[] }): string | null {
  return tags.find(tag => uuidFromReference(tag) !== null) ?? null
}

/** Tells whether an entity has our id among its tags. */
export function hasTag({ tags }: { tags: string[] }, tag: string): boolean {
  return tags.includes(tag.toLowerCase())
}

const TRANSFER_STATUSES = {
  created: 'in_process',
  processing: 'in_process',
  success: 'settled',
  failed: 'rejected',
  canceled: 'rejected',
} as const satisfies Record<StarkTransfer['status'], ProviderPayout['status']>

/** Maps a transfer. Its log has why it failed as free texts, which are not read. */
export function mapStarkTransfer(transfer: StarkTransfer): ProviderPayout {
  const status = TRANSFER_STATUSES[transfer.status]
  return {
    status,
    cents: transfer.amount,
    endToEnd: toTransferName(transfer.id),
    at: transfer.updated ?? null,
    ...(status === 'rejected' && toPayoutRejection()),
    receiver: transfer.taxId ? mapOtherSide(transfer) : null,
  }
}

type OtherSide = Pick<StarkDeposit, 'name' | 'taxId' | 'bankCode' | 'branchCode' | 'accountNumber'>

/** Maps the payer or the recipient. `bankCode` is an ISPB of 8 digits, or else the bank's number. */
function mapOtherSide({ name, taxId, bankCode, branchCode, accountNumber }: OtherSide): Party {
  const isIspb = bankCode?.length === 8
  const party = toParty({
    name: name ?? null,
    document: taxId ?? null,
    account: accountNumber ?? null,
    agency: branchCode ?? null,
    ispb: isIspb ? bankCode : null,
  })
  return isIspb ? party : { ...party, bank: { ...party.bank, code: bankCode ?? '' } }
}

/** Maps the owner of a key. */
export function mapKeyOwner({ name, taxId, ispb, bankName }: StarkDictKey): Party {
  return toParty({
    name: name ?? null,
    document: taxId ?? null,
    ispb: ispb ?? null,
    bankName: bankName ?? null,
  })
}

/** Removes the punctuation of a CPF or CNPJ. */
export function toPlainDocument(taxId: string | null | undefined): string {
  return (taxId ?? '').replace(/[.\-/]/g, '').toUpperCase()
}
