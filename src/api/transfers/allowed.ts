import { inOrderOfTrust } from '../../db/breaker.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import { all, ask } from '../../db/questions.ts'
import { isRefTaken } from '../../db/transfers.ts'
import { CAPABILITIES } from '../../domain/provider.ts'
import { type CreateTransfer, createTransfer } from '../../wire/transfer.ts'
import type { Token } from '../auth.ts'
import { candidates } from '../candidates.ts'
import type { FieldErrors } from '../check.ts'
import { named, refuse } from '../errors.ts'
import { lastMoment } from '../last-moment.ts'
import { LATEST_SCHEDULE_MS } from '../limits.ts'
import { unpaused } from '../paused.ts'

/** What no schema can say of a new transfer, because it takes the database or the time of day. */

type Caller = { em: EntityManager; token: Token }

/**
 * The candidates of a transfer that may be sent, in the order of trying, and until when it may be taken where it has no key;
 * else 422 with all that is wrong, 409 or 503.
 */
export async function allowed(caller: Caller, body: CreateTransfer) {
  const { errors, able, takeBefore } = await judged(caller, body)
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  await requireFreshRef(caller, body)
  const ready = unpaused(able, 'out')
  // One that waits for its time is tried by priority: whom it would distrust then, nobody knows now.
  return { candidates: body.scheduled_for ? ready : await inOrderOfTrust(caller.em, ready), takeBefore }
}

/** The same for a body that its schema has refused already, as far as it can be read: all is said at once. */
export async function alsoWrong({ em, token, body }: Caller & { body: unknown }): Promise<FieldErrors> {
  const given = Object(body)
  const { scheduled_for, document, provider_uuid } = createTransfer.shape
  const read = {
    scheduled_for: scheduled_for.safeParse(given.scheduled_for).data,
    document: document.safeParse(given.document).data,
  }
  const provider = provider_uuid.safeParse(given.provider_uuid)
  if (!provider.success) return scheduleErrors(read)
  return (await judged({ em, token }, { ...read, provider_uuid: provider.data })).errors
}

type Judged = Pick<CreateTransfer, 'scheduled_for' | 'document' | 'provider_uuid'>

async function judged(
  { em, token }: Caller,
  body: Judged,
): Promise<{ errors: FieldErrors; able: Connection[]; takeBefore?: string | undefined }> {
  const errors = scheduleErrors(body)
  const wanted = candidates(em, { token, providerUuid: body.provider_uuid })
  const [found, takeBefore] = (await named(errors, ask(em, all(wanted, lastMoment())))) ?? []
  const able = found?.filter(({ dialect }) => {
    const { transfers, checksDocument } = CAPABILITIES[dialect]
    return transfers && (!body.document || checksDocument)
  })
  if (able?.length === 0) errors.document = ['no provider of this transfer can check to whom the key belongs']
  return { errors, able: able ?? [], takeBefore }
}

function scheduleErrors({ scheduled_for }: Pick<Judged, 'scheduled_for'>): FieldErrors {
  const ahead = scheduled_for ? scheduled_for.getTime() - Date.now() : 1
  const fits = ahead > 0 && ahead <= LATEST_SCHEDULE_MS
  return fits ? {} : { scheduled_for: ['must be in the future, at most 90 days ahead'] }
}

/** SPEC §4: an account may ask that no two of its transfers carry one external_ref. */
async function requireFreshRef({ em, token }: Caller, { external_ref: externalRef }: CreateTransfer) {
  if (externalRef === undefined) return
  const { accountUuid } = token
  const account = await em.findOneOrFail(Account, accountUuid)
  if (!account.uniqueExternalRef) return
  const ref = { accountUuid, externalRef, isSimulated: token.mode === 'test' }
  if (await isRefTaken(em, ref)) refuse('external_ref_taken')
}
