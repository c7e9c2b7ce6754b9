import { type CreateBatchBody, toItemDestination } from '../../contract/transfers/transfer-batch.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import { findUsedReferences } from '../../db/repositories/transfer-batches.ts'
import { textFromCents } from '../../domain/ledger/money.ts'
import type { AccountLimits } from '../../domain/limits/account-limits.ts'
import { findExceededOrderLimit } from '../../domain/limits/exceeded-limit.ts'
import { readStaticPayment } from '../../domain/qr-codes/code-payment.ts'
import { findCarrierNeeds } from '../../domain/transfers/transfer-candidates.ts'
import {
  type TransferDestination,
  toDestinationColumns,
} from '../../domain/transfers/transfer-destination.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { CODE_FAULT_MESSAGES } from './code-readings.ts'
import { UNPAYABLE_CODE_MESSAGE } from './code-transfers.ts'
import {
  checkAccountReceiver,
  checkKeyReceiver,
  type ReceiverCheck,
  selectPayableConnections,
} from './transfers.ts'

/** The rules of the items of a batch beyond their schema. */

type BatchItem = CreateBatchBody['items'][number]
/** What of the account the items are compared with. */
type ItemRules = {
  candidates: Connection[]
  /** Those that an item must be within already when it is ordered; null: when it is started. */
  limits: AccountLimits | null
  usedReferences: Set<string>
  /** The codes by which the account itself collects. */
  ownCodes: Set<string>
}

/** Reads what the items of a body are compared with. */
export async function readItemRules(
  em: EntityManager,
  token: CallerToken,
  body: CreateBatchBody,
): Promise<Pick<ItemRules, 'usedReferences' | 'ownCodes'>> {
  return {
    usedReferences: await findUsedReferencesOf(em, token, body),
    ownCodes: await findOwnCodes(em, token, body),
  }
}

/** Collects the errors of an item by its fields. */
export function collectItemErrors(item: BatchItem, rules: ItemRules): FieldErrors {
  const errors = collectCodeErrors(item, rules.ownCodes)
  if (rules.usedReferences.has(item.external_ref))
    errors.external_ref = ['is already used by another transfer of the account']
  if (errors.payload) return errors
  const destination = toItemDestination(item)
  const receiver = checkItemReceiver(destination)
  selectPayableConnections(errors, rules.candidates, { value: item.value, receiver })
  const { pixKey, document } = toDestinationColumns(destination)
  const exceeded =
    rules.limits && findExceededOrderLimit(rules.limits, { valueCents: item.value, pixKey, document })
  if (exceeded) {
    const field = exceeded.limit === 'per_transfer' ? 'value' : RECEIVER_FIELDS[destination.kind]
    const gaps = { limit: exceeded.limit }
    errors[field] = [{ text: 'is not allowed by the limit {limit} of the account', gaps }]
  }
  return errors
}

/** The field that says whom an item pays. */
const RECEIVER_FIELDS: Record<TransferDestination['kind'], string> = {
  key: 'pix_key',
  account: 'receiver.document',
  code: 'payload',
}

function checkItemReceiver(destination: TransferDestination): ReceiverCheck {
  switch (destination.kind) {
    case 'key':
      return checkKeyReceiver({ document: destination.document ?? undefined })
    case 'account':
      return checkAccountReceiver(destination.account.account_type)
    case 'code':
      return { needs: findCarrierNeeds({ destination }), errors: { payload: [UNPAYABLE_CODE_MESSAGE] } }
  }
}

/** Collects what keeps the code of an item from being paid; none where it names no code. */
function collectCodeErrors({ payload, value }: BatchItem, ownCodes: Set<string>): FieldErrors {
  if (payload === undefined) return {}
  const payment = readStaticPayment(payload)
  switch (payment.kind) {
    case 'located':
      return { payload: ['must be a static code: one whose charge is at a bank is paid alone'] }
    case 'invalid':
      return {
        payload: [payment.fault === 'key' ? 'must have a PIX key' : CODE_FAULT_MESSAGES[payment.fault]],
      }
    case 'static': {
      const { code, cents } = payment
      // The rail carries no PIX within one provider account (AG12).
      if (ownCodes.has(code.payload)) return { payload: ['is a code of this account'] }
      if (cents === null || cents === value) return {}
      return { value: [{ text: 'must be {value}, as the code says', gaps: { value: textFromCents(cents) } }] }
    }
  }
}

/** Finds the references of a body that transfers have already, where the account allows each once. */
async function findUsedReferencesOf(
  em: EntityManager,
  { accountUuid, mode }: CallerToken,
  { items }: CreateBatchBody,
): Promise<Set<string>> {
  const { uniqueExternalRef } = await em.findOneOrFail(Account, accountUuid)
  if (!uniqueExternalRef) return new Set()
  const references = items.map(({ external_ref }) => external_ref)
  return findUsedReferences(em, { accountUuid, isSimulated: mode === 'test' }, references)
}

async function findOwnCodes(
  em: EntityManager,
  { accountUuid }: CallerToken,
  { items }: CreateBatchBody,
): Promise<Set<string>> {
  const txids = items.flatMap(({ payload }) => {
    const payment = payload === undefined ? null : readStaticPayment(payload)
    return payment?.kind === 'static' && payment.code.txid !== null ? payment.code.txid : []
  })
  if (txids.length === 0) return new Set()
  const codes = await em.fork().find(QrCode, { accountUuid, txid: { $in: txids } }, { fields: ['payload'] })
  return new Set(codes.map(({ payload }) => payload))
}
