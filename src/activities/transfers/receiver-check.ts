import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { Transfer } from '../../db/entities/transfer.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { isDocument } from '../../domain/pix/document.ts'
import { compareReportedDocuments } from '../../domain/pix/document-comparison.ts'
import type { Party } from '../../domain/pix/party.ts'
import { isOtherOwner, type LookUpKeyOutcome, matchDocument } from '../../domain/pix-keys/key-look-up.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type {
  PreparePayoutOutcome,
  ProviderApi,
  ProviderPayout,
  ProviderTransferRequest,
  RejectedResult,
} from '../../domain/providers/provider.ts'
import { isPaidAsCode } from '../../domain/qr-codes/code-payment.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { readDestination, type TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import type { Provider } from '../../providers/port.ts'
import { recordContradiction } from '../payouts/record-outcome.ts'

/**
 * Compares the owner of a transfer's key with the document and the look-up that its order names: before it is sent, and with the
 * receiver of its settlement.
 */

/** How long a receiver that was looked up is paid by the same order: the key may move to another owner. */
const CHECK_VALIDITY_MS = DAY

/** Tells whether the engine looks the receiver up itself before it sends: the provider prepares nothing, and the order names who is paid. */
export function isReceiverLookedUp(
  { prepareTransfer, lookUpKey }: Provider,
  { pixKey, document, lookup }: Transfer,
): boolean {
  if (!pixKey || prepareTransfer) return false
  return lookUpKey !== undefined && Boolean(document || lookup?.onMismatch === 'REFUSE')
}

/** Tells whether the provider carries out a transfer only after it has prepared it. */
export function isPreparedByProvider(
  { prepareTransfer, preparedDestinations }: Provider,
  transfer: Transfer,
): boolean {
  if (!prepareTransfer) return false
  const { kind } = getDestinationToOrder(transfer, transfer.connection.dialect)
  return preparedDestinations?.includes(kind) ?? true
}

/**
 * The destination as its provider gets it: a key with the document that the provider itself compares, and the key of a code that the
 * provider does not pay as one, where the code says no more than that.
 */
export function getDestinationToOrder(transfer: Transfer, dialect: ProviderApi): TransferDestination {
  const destination = readDestination(transfer)
  if (destination.kind === 'account') return destination
  if (destination.kind === 'code' && isPaidAsCode(PROVIDER_CAPABILITIES[dialect], destination.code))
    return { ...destination, document: null }
  return { kind: 'key', pixKey: destination.pixKey, document: getDocumentToCheck(transfer, dialect) }
}

/** The document that the provider itself compares; null where it takes none, or the order names none. */
function getDocumentToCheck(
  { document, lookup }: Pick<Transfer, 'document' | 'lookup'>,
  dialect: ProviderApi,
): string | null {
  const { canCheckDocument, canLookUpKey } = PROVIDER_CAPABILITIES[dialect]
  if (!canCheckDocument) return null
  if (document) return document
  // Where the provider names no owner, the looked-up document is what it can compare.
  const isCompared = lookup?.onMismatch === 'REFUSE' && !canLookUpKey && isDocument(lookup.owner.document)
  return isCompared ? lookup.owner.document : null
}

/** The id that binds the payment to the look-up of its order; undefined at another provider account, and after its expiry. */
export function getLookUpEndToEnd(
  { lookup }: Pick<Transfer, 'lookup'>,
  { providerAccountUuid }: Pick<Connection, 'providerAccountUuid'>,
): string | undefined {
  return isLookupUsable(lookup, providerAccountUuid) ? lookup?.endToEnd : undefined
}

function isLookupUsable(lookup: Transfer['lookup'], providerAccountUuid: string): boolean {
  return lookup?.providerAccountUuid === providerAccountUuid && Date.parse(lookup.expiresAt) > Date.now()
}

type Preparation = { connection: Connection; request: ProviderTransferRequest; isFirst: boolean }

/**
 * Prepares a transfer at its provider, or looks its receiver up where the provider prepares nothing, and refuses a receiver who is not
 * whom the order names. Moves nothing, and may be repeated.
 */
export async function prepareTransfer(
  provider: Provider,
  transfer: Transfer,
  { connection, request, isFirst }: Preparation,
): Promise<PreparePayoutOutcome> {
  if (!provider.prepareTransfer) return prepareByLookUp(provider, transfer, { connection, request })
  const outcome = await provider.prepareTransfer(request, { isFirst })
  if (outcome.kind !== 'prepared') return outcome
  return refuseChangedOwner(transfer, outcome.handle.receiver) ?? outcome
}

async function prepareByLookUp(
  provider: Provider,
  transfer: Transfer,
  { connection, request }: Omit<Preparation, 'isFirst'>,
): Promise<PreparePayoutOutcome> {
  const { document, lookup } = transfer
  const pixKey = transfer.pixKey!
  const answer = await lookUpReceiver(provider, { lookup, pixKey }, connection)
  switch (answer.kind) {
    case 'no_answer':
      return answer
    case 'not_found':
      return keyNotFound
    case 'refused':
      return { kind: 'rejected', finality: 'final', ...failureOf(answer.code), refusedBy: 'service' }
    case 'found': {
      const refusal =
        refuseOtherDocument(matchDocument(document, { key: pixKey, owner: answer.owner }), document) ??
        refuseChangedOwner({ lookup }, answer.owner)
      if (refusal) return refusal
      const expiresAt = new Date(Date.now() + CHECK_VALIDITY_MS).toISOString()
      const bound = answer.endToEnd ? { lookUpEndToEnd: answer.endToEnd } : {}
      return { kind: 'prepared', handle: { ref: request.id, receiver: answer.owner, expiresAt, ...bound } }
    }
  }
}

/** The receiver of a look-up that the order names and that is still of use at this provider; otherwise by another look-up. */
async function lookUpReceiver(
  provider: Provider,
  { lookup, pixKey }: { lookup: Transfer['lookup']; pixKey: string },
  { providerAccountUuid }: Connection,
): Promise<LookUpKeyOutcome> {
  if (!lookup?.endToEnd || !isLookupUsable(lookup, providerAccountUuid)) return provider.lookUpKey!(pixKey)
  return { kind: 'found', owner: { ...UNKNOWN_ACCOUNT, ...lookup.owner }, endToEnd: lookup.endToEnd }
}

const UNKNOWN_ACCOUNT: Omit<Party, 'name' | 'document'> = {
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
}

const keyNotFound: RejectedResult = {
  kind: 'rejected',
  finality: 'final',
  code: 'pix_key_not_found',
  message: 'No account has the key',
  refusedBy: 'service',
}

const receiverUnchecked: RejectedResult = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'document_unchecked',
  message: 'The provider does not report enough of the owner of the key',
  refusedBy: 'service',
}

function refuseOtherDocument(
  match: ReturnType<typeof matchDocument>,
  document: string | null | undefined,
): RejectedResult | null {
  if (!document || match === 'MATCH') return null
  if (match === 'UNKNOWN') return receiverUnchecked
  return {
    kind: 'rejected',
    finality: 'final',
    code: 'document_mismatch',
    message: 'The key does not belong to the document of the order',
    refusedBy: 'service',
  }
}

/** Refuses a receiver who is another one than the look-up of the order has named, where the order says so. */
function refuseChangedOwner(
  { lookup }: Pick<Transfer, 'lookup'>,
  receiver: Party | undefined,
): RejectedResult | null {
  if (lookup?.onMismatch !== 'REFUSE') return null
  if (!receiver) return receiverUnchecked
  if (!isOtherOwner(lookup.owner, receiver)) return null
  return { kind: 'rejected', finality: 'final', ...failureOf('receiver_changed'), refusedBy: 'service' }
}

/**
 * Records a contradiction where the settled receiver is another one than the look-up, or the document of a code, has named: the money has left, so the transfer stays
 * settled, and operators are alerted. The caller holds the row lock.
 */
export function flagChangedReceiver(
  { lookup, paymentCode }: Pick<Transfer, 'lookup' | 'paymentCode'>,
  attempt: Attempt,
  { receiver }: Pick<ProviderPayout, 'receiver'>,
): void {
  if (!receiver) return
  const isOtherThanRead =
    paymentCode && compareReportedDocuments(paymentCode.receiverDocument, receiver.document) === 'other'
  if (isOtherThanRead || (lookup && isOtherOwner(lookup.owner, receiver)))
    recordContradiction(attempt, 'receiver_changed')
}
