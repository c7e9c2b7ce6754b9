import type { FilterQuery } from '@mikro-orm/core'
import {
  type CreateQrCodeBody,
  createQrCodeBody,
  type QrCodePaymentsQuery,
  type QrCodesQuery,
  showCreatedQrCode,
} from '../../contract/qr-codes/qr-code.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { isUniqueViolation } from '../../db/client/transaction.ts'
import { Connection } from '../../db/entities/connection.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import { lockRow } from '../../db/locks.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { readReceiverName } from '../../db/repositories/connections.ts'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import { computeQuotedFeeCents, MAX_CENTS } from '../../domain/ledger/money.ts'
import {
  buildStaticBrCode,
  countDescriptionBytes,
  countDescriptionRoom,
} from '../../domain/pix/static-br-code.ts'
import { staticTxidOf } from '../../domain/qr-codes/qr-code.ts'
import { collectFieldErrors, fail } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import { findCandidates, requireUnpausedConnections } from '../routing/provider-candidates.ts'
import { collectSplitErrors, listCharges, parseSplitFields, type ReadableChargeBody } from './charges.ts'
import type { CreateRequest } from './create-operation.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { buildCreationRange, readEntityPage } from './pagination.ts'
import { orderAuthorOf, type UserAct, writeDirectly } from './user-acts.ts'

export const QR_CODES_PATH = '/api/v1/qr-codes'

const WITH_CONNECTION = { populate: ['connection'] } as const

/** Builds the filter of the codes of a merchant that a token may see: not those of single charges. */
function buildVisibleCodeFilter(token: CallerToken): FilterQuery<QrCode> {
  return { ...visibilityFilter(token), isSingle: false }
}

/** Reads a code that the token may see, or fails with 404. */
export async function requireVisibleQrCode(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<QrCode> {
  const filter = { $and: [{ uuid }, buildVisibleCodeFilter(token)] }
  return (await em.findOne(QrCode, filter, WITH_CONNECTION)) ?? fail('not_found')
}

/** Lists one page of the codes that a token may see, newest first. */
export function listQrCodes(em: EntityManager, token: CallerToken, query: QrCodesQuery) {
  const created = buildCreationRange(query)
  const filter: FilterQuery<QrCode> = {
    $and: [
      buildVisibleCodeFilter(token),
      {
        ...(query.uuid && { uuid: { $in: query.uuid } }),
        ...(query.status && { status: { $in: query.status } }),
        ...(query.reference !== undefined && { txid: query.reference }),
        ...(query.external_ref !== undefined && { externalRef: query.external_ref }),
        ...(query.provider_uuid !== undefined && { connection: query.provider_uuid }),
        ...(created && { createdAt: created }),
      },
    ],
  }
  return readEntityPage(em, QrCode, { name: 'qr-code', query, filter, populate: ['connection'] })
}

/** Lists one page of the charges that were paid to a code, newest first. */
export async function listQrCodePayments(
  em: EntityManager,
  token: CallerToken,
  { uuid, query }: { uuid: string; query: QrCodePaymentsQuery },
) {
  const code = await requireVisibleQrCode(em, token, uuid)
  return listCharges(em, token, { ...query, qr_code_uuid: code.uuid })
}

/**
 * Creates a static code, or replays the response of the same Idempotency-Key. Not by `createOperation`: no provider is called and no
 * money moves, so that no workflow starts; the row is inserted here, and its outcome is certain when the statement returns.
 */
export async function createQrCode({
  body,
  token,
  idempotencyKey: key,
  em,
  requestId,
}: CreateRequest<CreateQrCodeBody>) {
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: QR_CODES_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const findStored = () =>
    em.fork().findOne(QrCode, { uuid, accountUuid: token.accountUuid }, WITH_CONNECTION)
  const replay = (code: QrCode) => {
    requireSameRequest(code, fingerprint)
    return { status: 201 as const, headers: REPLAYED_HEADERS, body: { data: showCreatedQrCode(code) } }
  }
  const stored = key === null ? null : await findStored()
  if (stored) return replay(stored)
  if (token.isAccountBlocked) fail('account_blocked')
  const order = await validateQrCode({ em, token }, body)
  const receiverName = await readReceiverName(em, order.connection, token.accountUuid)
  try {
    const code = await writeDirectly(
      em,
      { ids: { uuid }, act: describeQrCodeWrite(token, uuid, 'qr_code_create') },
      async tx => storeQrCode(tx, { ...order, receiverName, body, token, uuid, requestId, fingerprint }),
    )
    return { status: 201 as const, body: { data: showCreatedQrCode(code) } }
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // A parallel request with the same key has stored it, or another code has the reference.
    const parallel = await findStored()
    return parallel ? replay(parallel) : fail('reference_in_use')
  }
}

type QrCodeOrder = {
  body: CreateQrCodeBody
  token: CallerToken
  connection: Connection
  splits: ChargeSplit[]
  receiverName: string
  uuid: string
  requestId: string
  fingerprint: string
}

async function storeQrCode(
  em: EntityManager,
  { body, token, connection, splits, receiverName, ...order }: QrCodeOrder,
): Promise<QrCode> {
  const { value: valueCents, description = null } = body
  const key = connection.collectionKey!
  const feeCents = computeQuotedFeeCents(valueCents, connection.fees)
  const txid = body.reference ?? staticTxidOf(order.uuid)
  const cents = valueCents === 0 ? null : valueCents + feeCents
  const at = new Date()
  const author = orderAuthorOf(token)
  return em.create(QrCode, {
    ...order,
    accountUuid: token.accountUuid,
    connection: await em.findOneOrFail(Connection, connection.uuid),
    providerAccountUuid: connection.providerAccountUuid,
    status: 'ACTIVE',
    pixKey: key,
    txid,
    payload: buildStaticBrCode({ key, cents, txid, description, receiverName }),
    valueCents: valueCents === 0 ? null : valueCents,
    feeCents,
    description,
    externalRef: body.external_ref ?? null,
    splits,
    onPayment: body.on_payment,
    metadata: body.metadata ?? {},
    tokenNumber: author.tokenNumber ?? null,
    userUuid: author.userUuid ?? null,
    createdAt: at,
    updatedAt: at,
  })
}

/**
 * Disables a code: a PIX that is paid to it after all becomes what its `on_payment` says. The payload can still be paid, because
 * payers' banks ask nobody about a static code. Repeatable.
 */
export async function disableQrCode(em: EntityManager, token: CallerToken, uuid: string): Promise<QrCode> {
  await requireVisibleQrCode(em.fork(), token, uuid)
  const act = describeQrCodeWrite(token, uuid, 'qr_code_disable')
  const hasChanged = (isDisabled: boolean) => isDisabled
  await writeDirectly(em, { ids: { uuid }, act, hasChanged }, async tx => {
    const [code] = await lockRow(tx, QrCode, uuid, noQuery)
    if (code.status === 'DISABLED') return false
    code.status = 'DISABLED'
    code.updatedAt = new Date()
    return true
  })
  return requireVisibleQrCode(em.fork(), token, uuid)
}

function describeQrCodeWrite(
  token: CallerToken,
  uuid: string,
  action: 'qr_code_create' | 'qr_code_disable',
): UserAct {
  return { token, action, subject: `qr-code/${uuid}` }
}

/** Validation of a new code beyond its schema: rules that need the database or two fields at once. */

type QrCodeCaller = { em: EntityManager; token: CallerToken }

/** Returns splits and the connection whose key collects; fails with all 422 errors, or 503 while its providers are paused. */
async function validateQrCode(caller: QrCodeCaller, body: CreateQrCodeBody) {
  const splits = body.splits.map(
    ({ type, value, recipient_account_uuid }): ChargeSplit => ({
      type,
      amount: value,
      recipientAccountUuid: recipient_account_uuid,
    }),
  )
  const { errors, connection } = await evaluateQrCode(caller, { ...body, splits })
  if (!connection || Object.keys(errors).length > 0) fail('validation_failed', { errors })
  requireUnpausedConnections([connection], 'in')
  return { splits, connection }
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectQrCodeErrors({ em, token, body }: QrCodeCaller & { body: unknown }) {
  const input = Object(body)
  const { value, provider_uuid, description } = createQrCodeBody.shape
  const provider = provider_uuid.safeParse(input.provider_uuid)
  const fields = {
    value: value.safeParse(input.value).data,
    description: description.safeParse(input.description).data,
    splits: Array.isArray(input.splits) ? input.splits.map(parseSplitFields) : [],
  }
  if (!provider.success) return collectSplitErrors({ em, token }, fields)
  return (await evaluateQrCode({ em, token }, { ...fields, provider_uuid: provider.data })).errors
}

type ReadableQrCodeBody = ReadableChargeBody & {
  provider_uuid?: string | undefined
  description?: string | undefined
}

async function evaluateQrCode(
  caller: QrCodeCaller,
  { provider_uuid: providerUuid, description, ...body }: ReadableQrCodeBody,
): Promise<{ errors: FieldErrors; connection: Connection | null }> {
  const errors = await collectSplitErrors(caller, body)
  const candidates = await collectFieldErrors(errors, findCandidates(caller.em, { ...caller, providerUuid }))
  if (!candidates) return { errors, connection: null }
  const collecting = candidates.filter(({ collectionKey }) => Boolean(collectionKey))
  const first = collecting.find(({ isPausedIn }) => !isPausedIn) ?? collecting[0]
  if (!first) {
    errors.provider_uuid = ['must be a provider with a PIX key that collects']
    return { errors, connection: null }
  }
  const { value = 0 } = body
  if (value + computeQuotedFeeCents(value, first.fees) > MAX_CENTS)
    errors.value = ['must not exceed 9999999999.99 together with its fee']
  const room = countDescriptionRoom(first.collectionKey!)
  const bytes = description === undefined ? 0 : countDescriptionBytes(description)
  if (description !== undefined && (bytes > room || bytes === 0))
    errors.description = [
      bytes === 0
        ? 'must have a character that ASCII can write'
        : {
            text: 'must be at most {bytes} bytes beside this PIX key, not {length}',
            gaps: { bytes: room, length: bytes },
          },
    ]
  return { errors, connection: first }
}
