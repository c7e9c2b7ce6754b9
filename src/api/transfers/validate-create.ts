import { type CreateTransferBody, createTransferBody } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import { isExternalRefUsed } from '../../db/repositories/transfers.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/provider.ts'
import { collectFieldErrors, fail } from '../http/api-error.ts'
import type { FieldErrors } from '../http/validate.ts'
import { MAX_SCHEDULE_AHEAD_MS } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import { queryAcceptanceDeadline } from '../operations/acceptance-deadline.ts'
import { requireUnpausedConnections } from '../routing/pause-check.ts'
import { queryCandidates } from '../routing/provider-candidates.ts'

/** What no schema can say of a new transfer, because it takes the database or the time of day. */

type TransferCaller = { em: EntityManager; token: CallerToken }

/**
 * The candidates of a transfer that may be sent, in the order of trying, and until when it may be taken where it has no key;
 * else 422 with all that is wrong, 409 or 503.
 */
export async function validateCreateTransfer(caller: TransferCaller, body: CreateTransferBody) {
  const { errors, able, acceptBefore: takeBefore } = await evaluateTransfer(caller, body)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  await requireUniqueExternalRef(caller, body)
  const ready = requireUnpausedConnections(able, 'out')
  // One that waits for its time is tried by priority: whom it would distrust then, nobody knows now.
  return { candidates: body.scheduled_for ? ready : await orderByCircuitState(caller.em, ready), takeBefore }
}

/** The same for a body that its schema has refused already, as far as it can be read: all is said at once. */
export async function collectTransferErrors({
  em,
  token,
  body,
}: TransferCaller & { body: unknown }): Promise<FieldErrors> {
  const given = Object(body)
  const { scheduled_for, document, provider_uuid } = createTransferBody.shape
  const read = {
    scheduled_for: scheduled_for.safeParse(given.scheduled_for).data,
    document: document.safeParse(given.document).data,
  }
  const provider = provider_uuid.safeParse(given.provider_uuid)
  if (!provider.success) return collectScheduleErrors(read)
  return (await evaluateTransfer({ em, token }, { ...read, provider_uuid: provider.data })).errors
}

type ReadableTransferBody = Pick<CreateTransferBody, 'scheduled_for' | 'document' | 'provider_uuid'>

async function evaluateTransfer(
  { em, token }: TransferCaller,
  body: ReadableTransferBody,
): Promise<{ errors: FieldErrors; able: Connection[]; acceptBefore?: string | undefined }> {
  const errors = collectScheduleErrors(body)
  const wanted = queryCandidates(em, { token, providerUuid: body.provider_uuid })
  const [found, takeBefore] =
    (await collectFieldErrors(errors, runQuery(em, batchQueries(wanted, queryAcceptanceDeadline())))) ?? []
  const able = found?.filter(({ dialect }) => {
    const { canTransfer: transfers, canCheckDocument: checksDocument } = PROVIDER_CAPABILITIES[dialect]
    return transfers && (!body.document || checksDocument)
  })
  if (able?.length === 0) errors.document = ['no provider of this transfer can check to whom the key belongs']
  return { errors, able: able ?? [], acceptBefore: takeBefore }
}

function collectScheduleErrors({ scheduled_for }: Pick<ReadableTransferBody, 'scheduled_for'>): FieldErrors {
  const ahead = scheduled_for ? scheduled_for.getTime() - Date.now() : 1
  const fits = ahead > 0 && ahead <= MAX_SCHEDULE_AHEAD_MS
  return fits ? {} : { scheduled_for: ['must be in the future, at most 90 days ahead'] }
}

/** SPEC §4: an account may ask that no two of its transfers carry one external_ref. */
async function requireUniqueExternalRef(
  { em, token }: TransferCaller,
  { external_ref: externalRef }: CreateTransferBody,
) {
  if (externalRef === undefined) return
  const { accountUuid } = token
  const account = await em.findOneOrFail(Account, accountUuid)
  if (!account.uniqueExternalRef) return
  const ref = { accountUuid, externalRef, isSimulated: token.mode === 'test' }
  if (await isExternalRefUsed(em, ref)) fail('external_ref_taken')
}
