import { inOrderOfTrust } from '../../db/breaker.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import { askedFeeOf, MOST_CENTS } from '../../domain/money.ts'
import { CAPABILITIES } from '../../domain/provider.ts'
import { type Split, type SplitRead, splitFaults, sumFault } from '../../domain/split.ts'
import { type CreatePayment, createPayment, MOST_SPLITS, splitOrder } from '../../wire/payment.ts'
import type { Token } from '../auth.ts'
import { candidatesFor } from '../candidates.ts'
import type { FieldErrors } from '../check.ts'
import { named, refuse } from '../errors.ts'
import { unpaused } from '../paused.ts'

/** What no schema can say of a new charge, because it takes the database or two fields at once. */

type Caller = { em: EntityManager; token: Token }

/**
 * The splits of a charge that may be created, and its candidates in the order of trying; else 422 with all that is wrong,
 * or 503 while paused.
 */
export async function allowed(
  caller: Caller,
  body: CreatePayment,
): Promise<{ splits: Split[]; candidates: string[] }> {
  const splits = body.splits.map(asSplit)
  const { errors, payable } = await judged(caller, { ...body, splits })
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  return { splits, candidates: await inOrderOfTrust(caller.em, unpaused(payable, 'in')) }
}

/** The same for a body that its schema has refused already, as far as it can be read: all is said at once. */
export async function alsoWrong({ em, token, body }: Caller & { body: unknown }): Promise<FieldErrors> {
  const given = Object(body)
  const { value, provider_uuid } = createPayment.shape
  const read = {
    value: value.safeParse(given.value).data,
    splits: Array.isArray(given.splits) ? given.splits.slice(0, MOST_SPLITS).map(readSplit) : [],
  }
  const provider = provider_uuid.safeParse(given.provider_uuid)
  if (!provider.success) return splitErrors({ em, token }, read)
  return (await judged({ em, token }, { ...read, provider_uuid: provider.data })).errors
}

type Read = { value: number | undefined; splits: SplitRead[] }

function asSplit(split: CreatePayment['splits'][number]): Split {
  return { type: split.type, amount: split.value, recipientAccountUuid: split.recipient_account_uuid }
}

function readSplit(split: unknown): SplitRead {
  const given = Object(split)
  const { type, value, recipient_account_uuid } = splitOrder.shape
  return {
    type: type.safeParse(given.type).data,
    amount: value.safeParse(given.value).data,
    recipientAccountUuid: recipient_account_uuid.safeParse(given.recipient_account_uuid).data,
  }
}

async function judged(
  caller: Caller,
  { provider_uuid: providerUuid, ...body }: Read & { provider_uuid?: string | undefined },
): Promise<{ errors: FieldErrors; payable: Connection[] }> {
  const { value } = body
  const errors = await splitErrors(caller, body)
  const candidates = await named(errors, candidatesFor(caller.em, { ...caller, providerUuid }))
  if (!candidates || value === undefined) return { errors, payable: [] }
  const able = candidates.filter(one => value > 0 || CAPABILITIES[one.dialect].openAmount)
  const payable = able.filter(one => value + askedFeeOf(value, one.fees) <= MOST_CENTS)
  if (able.length === 0) errors.value = ['no provider of this charge can leave the value open']
  else if (payable.length === 0) errors.value = ['must not exceed 9999999999.99 together with its fee']
  return { errors, payable }
}

async function splitErrors(caller: Caller, { value, splits }: Read): Promise<FieldErrors> {
  const sum = value === undefined ? null : sumFault(splits, value)
  const faults = Map.groupBy([...splitFaults(splits), ...(sum ? [sum] : [])], fault => fault.field)
  const errors = Array.from(faults, ([field, found]) => [field, found.map(fault => fault.message)])
  const recipients = splits.map(split => split.recipientAccountUuid)
  return { ...Object.fromEntries(errors), ...(await recipientErrors(caller, recipients)) }
}

/** Recipients must exist and not be the charge's own account; one that cannot be read is not ours to judge. */
async function recipientErrors({ em, token }: Caller, uuids: (string | undefined)[]): Promise<FieldErrors> {
  const asked = uuids.filter(uuid => uuid !== undefined)
  if (asked.length === 0) return {}
  const rows: { uuid: string }[] = await em.execute(
    'select uuid from account where uuid = any(array[?]::uuid[])',
    [asked],
  )
  const known = new Set(rows.map(row => row.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    const field = `splits.${index}.recipient_account_uuid`
    if (uuid === token.accountUuid) errors[field] = ["must not be the charge's own account"]
    else if (uuid !== undefined && !known.has(uuid)) errors[field] = ['there is no such account']
  }
  return errors
}
