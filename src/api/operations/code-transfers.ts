import type { CodeReader } from '../../code-reader/reader.ts'
import type { CreateCodeTransferBody } from '../../contract/transfers/code-transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import type { ReadTransfer } from '../../db/repositories/transfers.ts'
import { textFromCents } from '../../domain/ledger/money.ts'
import { compareReportedDocuments } from '../../domain/pix/document-comparison.ts'
import { normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import {
  buildPaymentCode,
  type ComparedReading,
  findCodeObstacle,
  listCodeChanges,
  type PaymentCode,
} from '../../domain/qr-codes/code-payment.ts'
import type { CodeReading } from '../../domain/qr-codes/code-reading.ts'
import { readDestination } from '../../domain/transfers/transfer-destination.ts'
import { fail } from '../../http/api-error.ts'
import { findChargeOfCode, findVisibleCodeReading, readCode, type SealedCode } from './code-readings.ts'
import type { CreateDependencies, CreateRequest } from './create-operation.ts'
import {
  collectLookupErrors,
  type OpenedLookup,
  readTransferLookup,
  requireExpectedReceiver,
} from './transfer-lookup.ts'
import {
  chooseCandidates,
  collectOrderErrors,
  evaluateTransfer,
  orderTransfer,
  quoteTerms,
  type ReceiverCheck,
  TRANSFERS_PATH,
  type TransferCaller,
  type TransferQuote,
  type TransferTerms,
} from './transfers.ts'

/** Transfers that pay a PIX code of another receiver (SPEC §4). */

export const CODE_TRANSFERS_PATH = `${TRANSFERS_PATH}/qr-codes`

type CodeTransferDependencies = CreateDependencies & { codeReader: CodeReader }
type CodeTransferRequest = Pick<CreateRequest<CreateCodeTransferBody>, 'em' | 'token' | 'body'>

/** Reads and validates the payment of a code without ordering it, and quotes it. */
export async function quoteCodeTransfer(
  dependencies: CodeTransferDependencies,
  request: CodeTransferRequest,
): Promise<TransferQuote> {
  return quoteTerms(request.em, await validateCodeTransfer(dependencies, request))
}

/** Pays a code, or replays the response of the same Idempotency-Key. The code is read before, and nothing is ordered of what has changed. */
export function createCodeTransfer(
  dependencies: CodeTransferDependencies,
  request: CreateRequest<CreateCodeTransferBody>,
) {
  return orderTransfer(dependencies, request, {
    path: CODE_TRANSFERS_PATH,
    validate: () => validateCodeTransfer(dependencies, request),
  })
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. Reads no code. */
export function collectCodeTransferErrors({ body, ...caller }: TransferCaller & { body: unknown }) {
  return collectOrderErrors(caller, body, { needs: {}, errors: {} })
}

async function validateCodeTransfer(
  { codeReader, sealer }: CodeTransferDependencies,
  { em, token, body }: CodeTransferRequest,
): Promise<TransferTerms> {
  const row = body.read_uuid === undefined ? null : await findVisibleCodeReading(em, token, body.read_uuid)
  if (row?.isSimulated !== (token.mode === 'test') && body.read_uuid !== undefined)
    fail('validation_failed', { errors: { read_uuid: ['must be a reading of the last thirty days'] } })
  const shown = row && sealer.open<SealedCode>(row.sealedCode)
  const payload = shown?.payload ?? body.payload!.trim()
  const reading = await readPayableCode(codeReader, payload, shown)
  const valueCents = chooseValue(reading, body.value)
  if (compareReportedDocuments(body.document ?? '', reading.receiverDocument) === 'other')
    fail('receiver_mismatch')

  const code = buildPaymentCode(payload, reading)
  const { pixKey } = reading
  const keyed = { ...body, pix_key: pixKey }
  const lookup = await readTransferLookup({ em, token, sealer }, keyed)
  const order = { provider_uuid: body.provider_uuid, scheduled_for: undefined, value: valueCents }
  const evaluated = await evaluateTransfer({ em, token }, order, checkCodeReceiver(code, body, lookup))
  const errors = { ...evaluated.errors, ...collectLookupErrors(keyed, lookup) }
  const ownAccountUuid = await findOwnProviderAccount(em, token.accountUuid, code)
  const payable = evaluated.payable.filter(one => one.providerAccountUuid !== ownAccountUuid)
  if (evaluated.payable.length > 0 && payable.length === 0)
    errors[codeField(body)] = ['is a code of this account at the only provider that could pay it']
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  if (lookup) requireExpectedReceiver(keyed, lookup)
  const { acceptBefore } = evaluated
  return {
    ...(await chooseCandidates(
      { em, token },
      { ...body, scheduled_for: undefined },
      { payable, acceptBefore },
    )),
    lookup: lookup?.copy,
    destination: { kind: 'code', code, pixKey, document: body.document ?? null },
    valueCents,
  }
}

/**
 * Reads a code that is about to be paid, its key normalised. Fails with 409 for one that cannot be paid, or that is not as it was
 * `shown` to who decided; else as `readCode`.
 */
async function readPayableCode(
  codeReader: CodeReader,
  payload: string,
  shown: ComparedReading | null,
): Promise<CodeReading> {
  const read = await readCode(codeReader, payload)
  const reading = { ...read, pixKey: normalizePixKey(read.pixKey) }
  const reason = findCodeObstacle(reading)
  if (reason) fail('qr_not_payable', { data: { reason } })
  const changed = shown ? listCodeChanges({ ...shown, pixKey: normalizePixKey(shown.pixKey) }, reading) : []
  if (changed.length > 0) fail('qr_changed', { data: { changed } })
  return reading
}

/** Reads the code of a transfer that waits for approvals once more; fails as `readPayableCode` where it is not as it was ordered. */
export async function requireUnchangedCode(
  codeReader: CodeReader,
  transfer: Pick<ReadTransfer, 'pixKey' | 'bankAccount' | 'paymentCode' | 'document' | 'valueCents'>,
): Promise<void> {
  const destination = readDestination(transfer)
  if (destination.kind !== 'code') return
  const { code, pixKey } = destination
  const { payload, receiverDocument, txid, isOpen } = code
  const value = { dueNowCents: transfer.valueCents, isOpen }
  await readPayableCode(codeReader, payload, { pixKey, receiverDocument, txid, value })
}

/** The centavos to be paid: those of the code, or those that the payer chooses. */
function chooseValue(
  { value: { isOpen, dueNowCents } }: CodeReading,
  chosenCents: number | undefined,
): number {
  if (!isOpen) {
    if (chosenCents === undefined || chosenCents === dueNowCents) return dueNowCents
    const message = { text: 'must be {value}, or absent', gaps: { value: textFromCents(dueNowCents) } }
    fail('qr_value_mismatch', { errors: { value: [message] } })
  }
  return (
    chosenCents ??
    fail('validation_failed', {
      errors: { value: ['is required: the payer chooses the value of this code'] },
    })
  )
}

const codeField = ({ read_uuid }: CreateCodeTransferBody) =>
  read_uuid === undefined ? 'payload' : 'read_uuid'

export const UNPAYABLE_CODE_MESSAGE =
  'no provider of this transfer pays codes of this kind, or checks their receiver'

/** What a code asks of a provider, under a document or the owner that a look-up has shown. */
function checkCodeReceiver(
  code: PaymentCode,
  body: CreateCodeTransferBody,
  lookup: OpenedLookup | null,
): ReceiverCheck {
  return {
    needs: { document: body.document, lookup: lookup?.copy, code },
    errors: { [codeField(body)]: [UNPAYABLE_CODE_MESSAGE] },
  }
}

/** Finds the provider account at which the account itself collects by the code: the rail carries no PIX within one (AG12). */
async function findOwnProviderAccount(
  em: EntityManager,
  accountUuid: string,
  { payload, initiation, txid }: PaymentCode,
): Promise<string | undefined> {
  const own =
    initiation === 'QR_DYNAMIC'
      ? await findChargeOfCode(em.fork(), [{ accountUuid }], { payload, txid })
      : txid !== null && (await em.fork().findOne(QrCode, { accountUuid, txid, payload }))
  return own ? own.providerAccountUuid : undefined
}
