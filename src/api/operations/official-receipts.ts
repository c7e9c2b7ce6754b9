import type { ShownReceipt } from '../../contract/receipts/receipt.ts'
import type { Orm } from '../../db/client/orm.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { ERASED_TEXT } from '../../domain/privacy/erasure.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { RECEIPT_WAIT_MS } from '../../http/limits.ts'
import { ResponseTimeoutError, withTimeout } from '../../http/outage.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import { issueReceipt, type ReceiptIssuer, type ReceiptRequest } from './receipts.ts'

type OfficialReceiptIssuer = ReceiptIssuer & { orm: Orm; providers?: ProviderRegistry }

/** A receipt with the PDF that the bank issues of it; null where this service issues it. */
type OfficialReceipt = { receipt: ShownReceipt; bankPdf: Buffer | null }

/**
 * Issues the receipt of an operation, by its bank where that issues one. The bank is asked each time, after the transaction that reads
 * the receipt, and answers within `RECEIPT_WAIT_MS`.
 */
export async function issueOfficialReceipt(
  issuer: OfficialReceiptIssuer,
  request: ReceiptRequest,
): Promise<OfficialReceipt> {
  const receipt = await issueReceipt(issuer, request)
  const bankPdf = await findBankPdf(issuer, receipt)
  if (!bankPdf) return { receipt, bankPdf }
  const { movement_type, initiation } = receipt.pix
  const own = movement_type === 'IN' ? initiation.receiver : initiation.sender
  return { receipt: { ...receipt, official: true, issuer: own?.bank.name ?? '' }, bankPdf }
}

/** The PDF would show the name of a person whose data was erased. */
async function findBankPdf(
  { orm, providers }: Pick<OfficialReceiptIssuer, 'orm' | 'providers'>,
  { kind, pix }: ShownReceipt,
): Promise<Buffer | null> {
  const { provider: carrier, end_to_end: endToEnd, initiation } = pix
  const isErased = [initiation.sender, initiation.receiver].some(party => party?.name === ERASED_TEXT)
  if (!providers || !carrier || endToEnd === '' || isErased) return null
  const em = orm.em.fork()
  const connection = await runQuery(em, queryConnectionToCall(em, carrier.uuid))
  if (!connection || !PROVIDER_CAPABILITIES[connection.dialect].issuesReceipts) return null
  getRequestDeadline().extendBy(RECEIPT_WAIT_MS)
  const answer = providers.providerFor(connection).findReceipt!({ kind, endToEnd })
  const outcome = await withTimeout(RECEIPT_WAIT_MS, answer).catch(error => {
    if (error instanceof ResponseTimeoutError) return null
    throw error
  })
  return outcome?.kind === 'found' ? outcome.pdf : null
}
