import { type CreateTransferBody, createTransferBody } from '../../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import { batchQueries, runQuery } from '../../../db/pipeline/query.ts'
import { orderByCircuitState } from '../../../db/repositories/circuit-breaker.ts'
import { isExternalRefUsed } from '../../../db/repositories/transfers.ts'
import { PROVIDER_CAPABILITIES } from '../../../domain/providers/provider.ts'
import { collectFieldErrors, fail } from '../../../http/api-error.ts'
import { MAX_SCHEDULE_AHEAD_MS } from '../../../http/limits.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { requireUnpausedConnections } from '../../routing/pause-check.ts'
import { queryCandidates } from '../../routing/provider-candidates.ts'
import { queryAcceptanceDeadline } from '../acceptance-deadline.ts'

/** Validation of a new transfer beyond its schema: rules that need the database or the time of day. */

type TransferCaller = { em: EntityManager; token: CallerToken }

/** Returns candidates in the order of trying and the acceptance deadline; fails with all 422 errors, 409 or 503. */
export async function validateCreateTransfer(caller: TransferCaller, body: CreateTransferBody) {
  const { errors, capable, acceptBefore } = await evaluateTransfer(caller, body)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  await requireUniqueExternalRef(caller, body)
  const unpaused = requireUnpausedConnections(capable, 'out')
  // A scheduled transfer keeps the order of priority: circuit states at its time are unknown now.
  return {
    candidates: body.scheduled_for ? unpaused : await orderByCircuitState(caller.em, unpaused),
    acceptBefore,
  }
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectTransferErrors({ em, token, body }: TransferCaller & { body: unknown }) {
  const input = Object(body)
  const { scheduled_for, document, provider_uuid } = createTransferBody.shape
  const fields = {
    scheduled_for: scheduled_for.safeParse(input.scheduled_for).data,
    document: document.safeParse(input.document).data,
  }
  const provider = provider_uuid.safeParse(input.provider_uuid)
  if (!provider.success) return collectScheduleErrors(fields)
  return (await evaluateTransfer({ em, token }, { ...fields, provider_uuid: provider.data })).errors
}

type ReadableTransferBody = Pick<CreateTransferBody, 'scheduled_for' | 'document' | 'provider_uuid'>

async function evaluateTransfer({ em, token }: TransferCaller, body: ReadableTransferBody) {
  const errors = collectScheduleErrors(body)
  const candidateQuery = queryCandidates(em, { token, providerUuid: body.provider_uuid })
  const [candidates, acceptBefore] =
    (await collectFieldErrors(
      errors,
      runQuery(em, batchQueries(candidateQuery, queryAcceptanceDeadline())),
    )) ?? []
  const capable = candidates?.filter(({ dialect }) => {
    const { canTransfer: transfers, canCheckDocument: checksDocument } = PROVIDER_CAPABILITIES[dialect]
    return transfers && (!body.document || checksDocument)
  })
  if (capable?.length === 0)
    errors.document = ['cannot be checked: no provider of this transfer checks the holder of the key']
  return { errors, capable: capable ?? [], acceptBefore }
}

function collectScheduleErrors({ scheduled_for }: Pick<ReadableTransferBody, 'scheduled_for'>): FieldErrors {
  const ahead = scheduled_for ? scheduled_for.getTime() - Date.now() : 1
  const fits = ahead > 0 && ahead <= MAX_SCHEDULE_AHEAD_MS
  return fits ? {} : { scheduled_for: ['must be in the future, at most 90 days ahead'] }
}

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
